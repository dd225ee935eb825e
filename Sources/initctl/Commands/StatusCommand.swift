internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// `status`: prints the Status as a table or as JSON.
struct StatusCommand: SupervisorCommand {
  static let help = CommandHelp(
    "status", "Show the states and all initializers, as a table.",
    discussion: """
      Examples:
        initctl status
        initctl status --json | jq .composite.state
      """)

  private var json = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag("json", &json, help: "Print the Status as JSON, on one line.")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    if json {
      try Console.write(JSONLine.line(try await client.request(.status).bytes))
    } else {
      let status = try await client.status()
      let lines = StatusTable(terminal: .current).lines(status, now: status.time)
      try Console.write(lines.joined(separator: "\n") + "\n")
    }
    return .success
  }
}
