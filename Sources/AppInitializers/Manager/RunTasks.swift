internal import InitCore

/// A run or a `stop()` that its provider is executing.
struct RunningTask {
  let task: Task<Void, Never>
  let run: ReadyRun
  /// Whether the run was asked to stop.
  var isStopping = false
}

/// The tasks of runs, by the run's number.
struct RunTasks {
  private var tasks: [RunID: RunningTask] = [:]
  /// The task of the run that has just ended.
  var idle = IdleTask()

  subscript(run: RunID) -> RunningTask? {
    get { tasks[run] }
    set { tasks[run] = newValue }
  }

  mutating func remove(_ run: RunID) -> RunningTask? { tasks.removeValue(forKey: run) }

  /// The task of a run that was asked to stop.
  var stopping: RunningTask? { tasks.values.first { $0.isStopping } }
}
