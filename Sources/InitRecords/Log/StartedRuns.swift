internal import InitCore
internal import InitLog
package import InitModel
internal import InitText
internal import InitWords

/// The processes of commands that run, and which commands had to be killed: a value.
package struct StartedRuns {
  /// The process ids of the commands that run, by run.
  private var pids: [RunID: Int32] = [:]
  /// The last run of each initializer whose command was killed, because it didn't exit within `cancelGrace` (S13).
  private var killed: [String: RunID] = [:]

  /// Records the process of a command that has started.
  mutating func start(_ process: StartedRun) { pids[process.start.run] = process.pid }

  /// Records that a command is killed.
  mutating func kill(_ process: StartedRun) {
    if !process.isStop { killed[process.start.initializer] = process.start.run }
  }

  /// Forgets the process of a run that has ended, and returns its id.
  mutating func end(_ run: RunID) -> Int32? { pids.removeValue(forKey: run) }

  /// Returns why the command of a run was killed; nil if it wasn't.
  func kill(of initializer: String, run: RunID, grace: Duration) -> String? {
    killed[initializer] == run
      ? "it didn't exit within \(grace.words) of SIGTERM (cancelGrace), so it was killed with SIGKILL" : nil
  }

  /// Adds the process of the shape's run: its id while it runs, and after a timeout why it was killed.
  package func complete(_ shape: inout Initializer, grace: Duration) {
    guard shape.provider == .command, let run = shape.run else { return }
    if shape.duration == nil { shape.pid = pids[RunID(run)].map(Int.init) }
    guard case .initializerFailed(.timeout)? = shape.error?.reason else { return }
    shape.killed = kill(of: shape.name, run: RunID(run), grace: grace)
  }
}
