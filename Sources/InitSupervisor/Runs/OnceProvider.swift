internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitRunner

/// The provider of a command that is marked `once`: the coordinator decides which host executes it.
final class OnceProvider: InitializerProvider {
  private let provider: any FencedProvider
  private let owner: LoopReference<Coordination>

  init(_ provider: any FencedProvider, owner: LoopReference<Coordination>) {
    self.provider = provider
    self.owner = owner
  }

  var executor: (any TaskExecutor)? { owner.loop }

  func run(_ context: RunContext) async throws { try await owner.run(context, provider, on: owner.isolation) }

  /// Stops the initializer if this host has executed it.
  ///
  /// If this host hasn't executed the initializer, there is nothing to stop.
  func stop(_ context: RunContext) async {
    if await wasExecutedHere(context.initializer, on: owner.isolation) { await provider.stop(context) }
  }

  func forceStop(run: RunID) { provider.forceStop(run: run) }

  private func wasExecutedHere(_ name: String, on isolation: isolated LoopActor) -> Bool {
    owner.get()?.wasExecutedHere(name) == true
  }
}

extension LoopReference<Coordination> {
  /// Runs an initializer that is marked `once`: here, or by waiting for another host.
  ///
  /// - Throws: the reason why the run has failed, or that it was cancelled.
  func run(_ context: RunContext, _ provider: any FencedProvider, on isolation: isolated LoopActor) async throws {
    try Task.checkCancellation()
    guard let coordination = get() else { throw CancellationError() }
    let work = Coordination.Work(provider: provider, context: context)
    let run = context.start.run
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { coordination.start(work, then: $0) }
    } onCancel: {
      perform { $0.cancel(run) }
    }
  }
}
