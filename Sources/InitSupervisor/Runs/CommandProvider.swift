internal import AppInitializers
internal import EventLoop
internal import InitCore

/// A command as a provider.
final class CommandProvider: FencedProvider {
  private let command: Command
  private let isSecret: Bool
  private let runner: CommandRunner

  init(_ command: Command, isSecret: Bool, runner: CommandRunner) {
    (self.command, self.isSecret, self.runner) = (command, isSecret, runner)
  }

  var executor: (any TaskExecutor)? { runner.loop }
  func run(_ context: RunContext, fence: Int?) async throws {
    try await runner.run(command, isSecret: isSecret, context, fence: fence)
  }
  func stop(_ context: RunContext) async { await runner.stop(command, context) }
  func forceStop(run: RunID) { runner.assumeIsolated { $0.kill(run) } }
}
