internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire

/// A command that talks to a supervisor: it connects, does its work on the loop, and ends the process with a status.
protocol SupervisorCommand: ProgramCommand, Sendable {
  /// The options to find the supervisor.
  var connection: ConnectionOptions { get }

  /// Does the work.
  ///
  /// The caller prints errors of the client and of standard output, and turns them into a status.
  func run(on client: Client) async throws -> ProgramStatus
}

extension SupervisorCommand {
  func run() throws { try runOnSupervisor() }

  /// Connects, and runs the command.
  func runOnSupervisor() throws {
    try CommandLoop.run { loop in
      let path = try SocketPath.resolve(asked: connection.socket)
      let client = try await Client.connect(
        loop: loop, path: path, program: HelloRequest.Program(name: "initctl", version: Release.version),
        within: connection.connectTimeout, replyTimeout: connection.replyTimeout,
        onWaiting: { _ in Console.reportWaiting(path) })
      return try await run(on: client)
    }
  }
}
