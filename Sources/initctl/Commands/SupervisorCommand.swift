internal import ArgumentParser
internal import InitClient
internal import InitWire

/// A command that talks to a supervisor: it connects, does its work on the loop, and ends the process with a status.
protocol SupervisorCommand: ParsableCommand, Sendable {
  /// The options after the command's name.
  var connection: ConnectionOptions { get }
  /// The options before it.
  var root: Initctl { get }

  /// The work. The caller prints errors of the client and of standard output, and turns them into a status.
  func run(on client: Client) async throws -> ExitCode
}

extension SupervisorCommand {
  func run() throws {
    let options = connection.or(root.connection)
    try CommandLoop.run { loop in
      let path = try SocketPath.resolve(asked: options.socket)
      let client = try await Client.connect(
        loop: loop, path: path, program: ProgramShape(name: "initctl", version: Initctl.version),
        within: options.connectTimeout?.duration)
      return try await run(on: client)
    }
  }
}
