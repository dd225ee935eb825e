internal import EventLoop
package import InitCore
package import InitDeclarations
internal import InitProcesses
internal import InitText
internal import Logging

extension CommandRunner {
  /// Runs the command that finds out whether an initializer's work is already done, as its own command would be run; calls back with true
  /// if it exits with status 0 in time (S37).
  ///
  /// `number` is the number of the question, for ``endChecks(unless:)``.
  package func check(
    _ unless: Unless, of declaration: Declaration, _ command: Command, number: Int, then: @escaping (Bool) -> Void
  ) {
    var asked = command
    asked.arguments = unless.arguments
    do {
      let (resolved, variables) = try environment(of: declaration, asked)
      let timer = Timer(loop: shared.loop, name: "unless of \(declaration.name)")
      let child = try ChildProcess(
        in: shared.children, arguments: resolved.arguments, environment: EnvironmentBlock(variables),
        directory: resolved.directory, settings: resolved.settings,
        streams: try ChildStreams(in: shared.children, output: .null, error: .null)
      ) { [weak self] status in
        timer.close()
        self?.checks[number] = nil
        then(status.isSuccess)
      }
      checks[number] = child
      timer.start(after: unless.timeout) { [shared] in
        shared.logger.warning(
          "unless of \(declaration.name) is killed: no exit within \(unless.timeout.words); \(declaration.name) runs")
        child.kill()
      }
    } catch {
      shared.logger.warning(
        "cannot run unless of \(declaration.name): \(hidingSecrets("\(error)", of: declaration, asked)); \(declaration.name) runs"
      )
      shared.loop.later { then(false) }
    }
  }

  /// Kills the commands whose question nobody waits for any more: their pass has ended.
  package func endChecks(unless isAwaited: (Int) -> Bool) {
    for (number, check) in checks where !isAwaited(number) { check.kill() }
  }
}
