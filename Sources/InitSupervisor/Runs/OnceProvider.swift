internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitLocks
internal import InitRunner

/// The provider of a command that is marked `once`: the coordinator decides which host executes it.
final class OnceProvider: InitializerProvider {
  private let provider: any FencedProvider
  private let owner: SupervisorReference

  init(_ provider: any FencedProvider, owner: SupervisorReference) {
    self.provider = provider
    self.owner = owner
  }

  var executor: (any TaskExecutor)? { owner.loop }

  func run(_ context: RunContext) async throws {
    try await owner.get().runOnce(context, provider)
  }

  /// Stops the initializer if this host has executed it.
  ///
  /// If this host hasn't executed the initializer, there is nothing to stop.
  func stop(_ context: RunContext) async {
    if await owner.supervisor?.wasExecutedHere(context.initializer) == true { await provider.stop(context) }
  }

  func forceStop(run: RunID) { provider.forceStop(run: run) }
}

extension Supervisor {
  /// Runs an initializer that is marked `once`: here, or by waiting for another host.
  ///
  /// - Throws: the reason why the run has failed, or that it was cancelled.
  func runOnce(_ context: RunContext, _ provider: any FencedProvider) async throws {
    try Task.checkCancellation()
    let work = Coordination.Work(provider: provider, context: context)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { execution.coordination.start(work, then: $0) }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.execution.coordination.cancel(context.start.run) } }
    }
  }

  func onceEnded(_ run: RunID, _ failure: (any Error)?) {
    execution.coordination.executionEnded(run, failure)
  }

  func wasExecutedHere(_ name: String) -> Bool { execution.coordination.wasExecutedHere(name) }
}
