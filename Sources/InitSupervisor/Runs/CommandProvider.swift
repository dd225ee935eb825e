internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitDeclarations

/// A command as a provider.
final class CommandProvider: FencedProvider {
  private let command: Command
  /// The variables of all commands.
  private let common: [String: String]
  private let isSecret: Bool
  private let owner: SupervisorReference

  init(_ command: Command, in common: [String: String], isSecret: Bool, owner: SupervisorReference) {
    self.command = command
    self.common = common
    self.isSecret = isSecret
    self.owner = owner
  }

  var executor: (any TaskExecutor)? { owner.loop }

  func run(_ context: RunContext, fence: Int?) async throws {
    try await owner.get().run(command, in: common, isSecret: isSecret, context, fence: fence)
  }

  func stop(_ context: RunContext) async { await owner.supervisor?.stop(command, in: common, context) }

  func forceStop(run: RunID) { owner.supervisor?.assumeIsolated { $0.execution.commands.kill(run) } }
}

extension Supervisor {
  fileprivate func run(
    _ command: Command, in common: [String: String], isSecret: Bool, _ context: RunContext, fence: Int?
  ) async throws {
    let fence = fence ?? shared.fence(in: context.start.phase)
    try await execution.commands.run(command, in: common, isSecret: isSecret, context, fence: fence, on: self)
  }

  fileprivate func stop(_ command: Command, in common: [String: String], _ context: RunContext) async {
    await execution.commands.stop(command, in: common, context, on: self)
  }
}
