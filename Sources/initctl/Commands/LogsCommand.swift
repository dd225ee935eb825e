internal import ArgumentParser
internal import InitClient
internal import InitWire

/// `logs`: prints the output of commands, `NAME | LINE`.
struct LogsCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs", abstract: "Show the output of commands.",
    discussion: """
      Examples:
        initctl logs migrate
        initctl logs --follow
      """)

  @Argument(help: "The initializer whose output to show. Default: all.") var name: String?

  @Flag(help: "Show the lines so far, then each new line.") var follow = false

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  func validate() throws {
    guard name.map(InitializerName.isValid) ?? true else {
      throw ValidationError("The name \(InitializerName.requirement).")
    }
  }

  func run(on client: Client) async throws -> ExitCode {
    do {
      return try await show(client)
    } catch ClientError.refused(let refusal) where refusal.knownCode == .unknownInitializer {
      return await UnknownName.complain(of: name ?? "", on: client, remedy: "initctl status lists them")
    }
  }

  private func show(_ client: Client) async throws -> ExitCode {
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
