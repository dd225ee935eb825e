internal import CommandLineOptions
internal import EventLoop
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire
internal import Platform

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
      let address = try SupervisorAddress(connection)
      do {
        let client = try await connection.connect(to: address.path, on: loop)
        let notice = noticeSilence(of: client)
        defer { notice.close() }
        return try await run(on: client)
      } catch let error as ClientError {
        guard await address.explain(error, on: loop) else { throw error }
        return .noSupervisor
      }
    }
  }

  /// Says on standard error that a supervisor doesn't answer, if its first answer takes long: it may be frozen.
  private func noticeSilence(of client: Client) -> Timer {
    let timer = Timer(loop: client.loop, name: "answer")
    timer.start(after: .seconds(2)) { [unowned client] in
      guard client.assumeIsolated({ $0.hello == nil }) else { return }
      Console.complain("waiting for an answer of the supervisor at \(TerminalText.escape(client.path))")
    }
    return timer
  }

  /// Returns the manifest of the project, if no supervisor listens at its socket.
  func manifestWithoutSupervisor() throws -> [String] {
    let address = try SupervisorAddress(connection)
    guard let project = address.project, connection.connectTimeout == nil, !SocketLink.isListening(at: address.path)
    else {
      return []
    }
    return [project.shownManifest]
  }
}
