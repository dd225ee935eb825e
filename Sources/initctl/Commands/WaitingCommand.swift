internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire
internal import InitWords

/// A command that can wait until the pass that it starts has ended.
protocol WaitingCommand: SupervisorCommand {
  var waiting: WaitingOptions { get set }
  var connection: ConnectionOptions { get set }
}

extension WaitingCommand {
  mutating func visit(_ options: inout Options) throws(UsageError) {
    try waiting.visit(&options)
    try connection.visit(&options)
  }

  /// Waits until the pass has ended, if asked to.
  ///
  /// Otherwise the request has succeeded; if its phase has already failed, that is reported.
  func end(pass: Int, of phase: WaitTarget, _ state: Status.State, on client: Client) async throws -> ProgramStatus {
    if waiting.wait { return try await client.await(.pass(pass), timeout: waiting.timeout) }
    if state.state == .failed { Console.complain(WaitReport.sentence(phase, state)) }
    return .success
  }
}
