package import AppInitializers
package import EventLoop
package import InitCore
package import InitDeclarations

/// A provider whose runs can have a fencing token.
package protocol FencedProvider: InitializerProvider {
  /// Runs the initializer until it ends; see `run(_:)`.
  func run(_ context: RunContext, fence: Int?) async throws
}

extension FencedProvider {
  package func run(_ context: RunContext) async throws { try await run(context, fence: nil) }
}

/// A command as a provider.
package final class CommandProvider: FencedProvider {
  private let command: Command
  /// The variables of all commands.
  private let common: [String: String]
  private let isSecret: Bool
  /// Whether its stop command runs before a requested run, instead of at the shutdown (S37).
  private let isUndoneFirst: Bool
  private let owner: LoopReference<Runner>

  /// Creates the provider of a command whose output is secret if `isSecret`; `common` are the variables of all commands.
  package init(
    _ command: Command, in common: [String: String], isSecret: Bool, isUndoneFirst: Bool = false,
    owner: LoopReference<Runner>
  ) {
    self.command = command
    self.common = common
    self.isSecret = isSecret
    self.isUndoneFirst = isUndoneFirst
    self.owner = owner
  }

  package var executor: (any TaskExecutor)? { owner.loop }

  package func run(_ context: RunContext, fence: Int?) async throws {
    try await run(context, fence: fence, on: owner.isolation)
  }

  package func stop(_ context: RunContext) async { await stop(context, on: owner.isolation) }

  package func forceStop(run: RunID) { owner.get()?.commands.kill(run) }

  private func run(_ context: RunContext, fence: Int?, on isolation: isolated LoopActor) async throws {
    guard let commands = owner.get()?.commands else { throw CancellationError() }
    if isUndoneFirst, context.start.request != nil, context.start.attempt == 1 { await stop(context, on: isolation) }
    let fence = fence ?? commands.shared.fence(context.start.phase)
    try await commands.run(command, in: common, isSecret: isSecret, context, fence: fence, on: isolation)
  }

  private func stop(_ context: RunContext, on isolation: isolated LoopActor) async {
    await owner.get()?.commands.stop(command, in: common, context, on: isolation)
  }
}
