internal import AppInitializers
internal import EventLoop
internal import InitCore

/// A command as a provider.
final class CommandProvider: FencedProvider {
  private let command: Command
  private let isSecret: Bool
  private let owner: SupervisorReference

  init(_ command: Command, isSecret: Bool, owner: SupervisorReference) {
    self.command = command
    self.isSecret = isSecret
    self.owner = owner
  }

  var executor: (any TaskExecutor)? { owner.loop }

  func run(_ context: RunContext, fence: Int?) async throws {
    try await owner.get().run(command, isSecret: isSecret, context, fence: fence)
  }

  func stop(_ context: RunContext) async { await owner.supervisor?.stop(command, context) }

  func forceStop(run: RunID) { owner.supervisor?.assumeIsolated { $0.execution.commands.kill(run) } }
}

extension Supervisor {
  fileprivate func run(_ command: Command, isSecret: Bool, _ context: RunContext, fence: Int?) async throws {
    try await execution.commands.run(command, isSecret: isSecret, context, fence: fence, on: self)
  }

  fileprivate func stop(_ command: Command, _ context: RunContext) async {
    await execution.commands.stop(command, context, on: self)
  }
}
