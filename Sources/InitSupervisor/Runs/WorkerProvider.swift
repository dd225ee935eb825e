internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitRunner

/// The provider of workers' initializers: a run is a request to the connection that registered the name.
final class WorkerProvider: FencedProvider {
  private let owner: LoopReference<Workers>
  private let coordination: LoopReference<Coordination>

  init(_ owners: ProviderOwners) {
    owner = owners.workers
    coordination = owners.coordination
  }

  var executor: (any TaskExecutor)? { owner.loop }

  /// Runs a worker's initializer: once for a release, or at once.
  func run(_ context: RunContext) async throws { try await run(context, on: owner.isolation) }

  func run(_ context: RunContext, fence: Int?) async throws {
    try await owner.run(context, fence: fence, on: owner.isolation)
  }

  func forceStop(run: RunID) { owner.perform { $0.close(ofRun: run) } }

  private func run(_ context: RunContext, on isolation: isolated LoopActor) async throws {
    if coordination.get()?.isOnce(context.initializer) == true {
      try await coordination.run(context, self, on: isolation)
    } else {
      try await owner.run(context, fence: nil, on: isolation)
    }
  }
}

extension LoopReference<Workers> {
  /// Sends a worker a run, and waits until it has answered or disconnected.
  ///
  /// - Throws: why the request can't be sent, or that the worker has disconnected. By then, the manager has the answer.
  fileprivate func run(_ context: RunContext, fence: Int?, on isolation: isolated LoopActor) async throws {
    try Task.checkCancellation()
    guard let workers = get() else { throw CancellationError() }
    let frame = try workers.request(for: context, fence: fence)
    let run = context.start.run
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { workers.start(context, frame, then: $0) }
    } onCancel: {
      perform { $0.cancel(run) }
    }
  }
}
