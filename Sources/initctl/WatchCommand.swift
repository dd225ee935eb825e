internal import ArgumentParser
internal import InitClient
internal import InitWire

/// `watch`: what is, then every change, until the supervisor ends.
///
/// On a terminal, without topics, a picture that redraws; otherwise a line an event. Ends with 0 when the supervisor said
/// farewell, and with 69 when it went away without.
struct WatchCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show what is, then every change.",
    discussion: """
      A terminal gets a picture that redraws, unless topics or --json are given; everything else gets a line an event. \
      It ends with status 0 after the supervisor has shut down, and with 69 if it was lost.
      """)

  @Argument(help: ArgumentHelp("Which events; all but log unless said.", valueName: "topic"))
  var topics: [Topic] = []

  @Flag(help: "Print the params of each event as JSON, one on each line; the first is a snapshot.")
  var json = false

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  /// What is watched unless topics are named.
  private static let defaultTopics = Topic.allCases.filter { $0 != .log }

  func run(on client: Client) async throws -> ExitCode {
    let subscription = try await client.subscribe(to: topics.isEmpty ? WatchCommand.defaultTopics : topics)
    if !json, topics.isEmpty, Terminal.current.size != nil {
      return try await WatchPicture(client: client, subscription: subscription).show()
    }
    OutputReader.endWhenGone()
    try write(subscription.snapshot)
    for try await event in subscription { try write(event) }
    return .success
  }

  private func write(_ event: Event) throws {
    if json {
      try Console.write(JSONLine.line(event.json))
    } else {
      try Console.write(EventLine.lines(event.params).map { $0 + "\n" }.joined())
    }
  }
}
