internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// `logs`: prints the output of commands, `NAME | LINE`.
struct LogsCommand: SupervisorCommand {
  static let help = CommandHelp(
    "logs", "Show the output of commands.",
    discussion: """
      Examples:
        initctl logs migrate
        initctl logs --follow
      """)

  private var name: String?
  private var follow = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument(
      "name", &name, .initializerName, help: "The initializer whose output to show. Default: all.")
    try options.flag("follow", &follow, help: "Show the lines so far, then each new line.")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    do {
      return try await show(client)
    } catch ClientError.refused(let refusal) where refusal.knownCode == .unknownInitializer {
      return await UnknownName.complain(of: name ?? "", on: client, remedy: "initctl status lists them")
    }
  }

  private func show(_ client: Client) async throws -> ProgramStatus {
    guard follow else {
      try write(try await client.logs(of: name))
      return .success
    }
    OutputReader.endWhenGone()
    let (lines, following) = try await client.followLogs(of: name)
    try write(lines)
    for try await event in following {
      switch event.params.body {
      case .log(let line) where name == nil || line.initializer == name: try write([line])
      case .lagged(let dropped): Console.complain("\(dropped) events were dropped: initctl read them too slowly")
      default: continue
      }
    }
    return .success
  }

  private func write(_ lines: [LogLineShape]) throws {
    try Console.write(lines.map { LogLine.line($0) + "\n" }.joined())
  }
}
