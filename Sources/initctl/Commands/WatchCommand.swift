internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// `watch`: shows the status, then every change, until the supervisor ends.
///
/// On a terminal without topics it shows a table that is redrawn; otherwise one line per event. Exits with 0 after a shutdown of the
/// supervisor, and with 69 if the connection is lost.
struct WatchCommand: SupervisorCommand {
  static let help = CommandHelp(
    "watch", "Show the states and initializers, then every change.",
    discussion: """
      On a terminal, watch redraws a table. In a pipe, and with topics or --json, it prints one line for each event. It ends when the \
      supervisor shuts down (status 0), or when the connection is lost (status 69).

      Examples:
        initctl watch
        initctl watch --json initializer | jq --unbuffered -c .initializer
      """)

  private var topics: [Topic] = []
  private var json = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments(
      "topic", &topics, .word("topic"),
      help: "The events to show: \(Topic.allCases.map(\.rawValue).joined(separator: ", ")). Default: all but log.")
    try options.flag("json", &json, help: "Print each event as JSON, one a line. The first is a snapshot.")
    try connection.visit(&options)
  }

  /// The default topics.
  private static let defaultTopics = Topic.allCases.filter { $0 != .log }

  func run(on client: Client) async throws -> ProgramStatus {
    let subscription = try await client.subscribe(to: topics.isEmpty ? WatchCommand.defaultTopics : topics)
    if !json, topics.isEmpty, OutputTerminal.current.size != nil {
      return try await WatchPicture(client: client, subscription: subscription).show()
    }
    OutputReader.endWhenGone()
    try write(subscription.snapshot)
    for try await event in subscription { try write(event) }
    return .success
  }

  private func write(_ event: ReceivedEvent) throws {
    if json {
      try Console.write(JSONLine.line(event.text))
    } else {
      try Console.write(EventLine.lines(event.params).map { $0 + "\n" }.joined())
    }
  }
}
