internal import AppInitializers
internal import EventLoop

/// Work on the supervisor's own loop as a provider: a run waits for a probe (S31), or until a kept process is ready (S32).
final class SupervisorProvider: InitializerProvider {
  typealias Work = @Sendable (isolated Supervisor, RunContext) async throws -> Void

  private let owner: SupervisorReference
  private let work: Work

  init(owner: SupervisorReference, work: @escaping Work) {
    self.owner = owner
    self.work = work
  }

  var executor: (any TaskExecutor)? { owner.loop }

  func run(_ context: RunContext) async throws { try await owner.get().perform(work, context) }
}

extension Supervisor {
  fileprivate func perform(_ work: SupervisorProvider.Work, _ context: RunContext) async throws {
    try await work(self, context)
  }
}
