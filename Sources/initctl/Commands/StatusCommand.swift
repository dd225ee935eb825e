internal import ArgumentParser
internal import InitClient
internal import InitWire

/// `status`: prints the Status as a table or as JSON.
struct StatusCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the states and all initializers, as a table.",
    discussion: """
      Examples:
        initctl status
        initctl status --json | jq .composite.state
      """)

  @Flag(help: "Print the Status as JSON, on one line.") var json = false
  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  func run(on client: Client) async throws -> ExitCode {
    if json {
      try Console.write(JSONLine.line(try await client.request(.status)))
    } else {
      let status = try await client.status()
      let lines = StatusTable(terminal: .current).lines(status, now: status.time)
      try Console.write(lines.joined(separator: "\n") + "\n")
    }
    return .success
  }
}
