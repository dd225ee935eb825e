package import AppInitializers
package import EventLoop
package import InitCore

/// Work on the runner's loop as a provider: a run waits for a probe (S31), or until a kept process is ready (S32).
package final class LoopProvider: InitializerProvider {
  private typealias Work = @Sendable (Runner, RunContext, isolated LoopActor) async throws -> Void

  private let owner: LoopReference<Runner>
  private let work: Work

  /// Waits until a probe holds.
  package init(waitingFor probe: Probe, _ owner: LoopReference<Runner>) {
    self.owner = owner
    work = { try await $0.probes.run(probe, $1, on: $2) }
  }

  /// Waits until the process with the initializer's name is ready.
  package init(startingIn owner: LoopReference<Runner>) {
    self.owner = owner
    work = { try await $0.processes.run($1, on: $2) }
  }

  package var executor: (any TaskExecutor)? { owner.loop }

  package func run(_ context: RunContext) async throws { try await perform(context, on: owner.isolation) }

  private func perform(_ context: RunContext, on isolation: isolated LoopActor) async throws {
    guard let runner = owner.get() else { throw CancellationError() }
    try await work(runner, context, isolation)
  }
}
