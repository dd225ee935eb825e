internal import AppInitializers
internal import EventLoop

/// A kept process as a provider: a run starts it, and ends when it is ready (S32).
final class ProcessProvider: InitializerProvider {
  private let name: String
  private let owner: SupervisorReference

  init(_ name: String, owner: SupervisorReference) {
    self.name = name
    self.owner = owner
  }

  var executor: (any TaskExecutor)? { owner.loop }

  func run(_ context: RunContext) async throws { try await owner.get().start(context) }
}

extension Supervisor {
  fileprivate func start(_ context: RunContext) async throws { try await execution.processes.run(context, on: self) }
}
