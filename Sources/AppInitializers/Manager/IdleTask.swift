internal import InitCore

/// A run that can be executed by its provider.
final class ReadyRun: Sendable {
  let provider: any InitializerProvider
  let start: RunStart
  /// `nil` for an object that needs none.
  let context: RunContext?

  init(_ provider: any InitializerProvider, _ start: RunStart, _ context: RunContext?) {
    self.provider = provider
    self.start = start
    self.context = context
  }

  /// Creates a task, on the executor that the provider prefers.
  func newTask(_ body: @escaping @concurrent @Sendable () async -> Void) -> Task<Void, Never> {
    // A task with a preference is asked for it at every switch to another executor, even if the preference is `nil`.
    guard let executor = provider.executor else { return Task(operation: body) }
    return Task(executorPreference: executor, operation: body)
  }

  /// Executes the run until it ends.
  ///
  /// - Returns: the error that it threw.
  func execute() async -> (any Error)? {
    do {
      if let context { try await provider.run(context) } else { try await (provider as? ObjectProvider)?.run() }
      return nil
    } catch {
      return error
    }
  }
}

/// The task of a run that has just ended.
///
/// An idle task executes the first run that starts in the same step, so not every run costs a new task.
///
/// The next run can't notice this: it would get the same task-local values and priority from a new task, which the end of the previous run
/// would create. A cancelled task isn't used again, and neither is a task with an executor that another provider wouldn't prefer.
struct IdleTask {
  private var task: Task<Void, Never>?
  private var executor: (any TaskExecutor)?
  /// The next run of the task.
  private(set) var next: ReadyRun?

  /// Creates a value without a task.
  init() {}

  /// Keeps the task of a run that has just ended, if another run may use it.
  init(_ task: Task<Void, Never>?, after run: ReadyRun) {
    guard let task, !task.isCancelled, run.provider.sharesTasks else { return }
    self.task = task
    executor = run.provider.executor
  }

  /// Lets the task execute a run, unless it already has one or isn't suitable.
  mutating func reuse(for run: ReadyRun) -> Task<Void, Never>? {
    guard let task, run.provider.sharesTasks, run.provider.executor === executor else { return nil }
    self.task = nil
    next = run
    return task
  }
}
