internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire
internal import InitWords
internal import Platform

/// `watch`: shows the current state, then every change: as a screen on a terminal, otherwise as one line per event.
struct WatchCommand: SupervisorCommand {
  static let help = CommandHelp(
    "watch", "Show the states and initializers, then every change.",
    discussion: """
      On a terminal, watch shows a screen. It lists the initializers that failed, run, are retried or have waited long, and one line for \
      the rest of each status, with as many of its initializers as fit. Its keys: j k PgUp PgDn move, Enter shows the log of an \
      initializer and why it has its status, / filters by name, f folds and unfolds, ? lists the keys, q ends. \
      On a process, s stops it, or starts it again, r restarts it, and x stops it so that you can run it by hand; y confirms.

      In a pipe, on a terminal without cursor movement (TERM=dumb), and with topics or --json, it prints one line for each event.

      When the supervisor shuts down, watch ends with status 0; with --reconnect it waits for the next supervisor. If the connection is \
      lost, or the supervisor is silent for the time of --reply-timeout, watch says so and waits for a supervisor at the same socket: for \
      the time of --connect-timeout, or without a limit. With --json it waits only with --reconnect or --connect-timeout; otherwise it \
      ends with status 69.

      With --until, watch ends with the status of initctl wait: 0 if the target is complete, 1 if it failed, or if watch or the \
      supervisor ended before.

      Examples:
        initctl watch --until ready
        initctl watch --json initializer | jq --unbuffered -c .initializer
      """)

  private var topics: [Topic] = []
  private var json = false
  private var until: WaitTarget.State?
  private var reconnects = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments(
      "topic", &topics, .word("topic"),
      help: "The events to show: \(Topic.allCases.map(\.rawValue).joined(separator: ", ")). Default: all but log.")
    try options.flag("json", &json, help: "Print each event as JSON, one a line. The first is a snapshot.")
    try options.option(
      "until", &until, .word("state"),
      help: "End as soon as ready, launch, active or composite is complete or failed. Default: with the supervisor.")
    try options.flag(
      "reconnect", &reconnects,
      help: "Continue with the next supervisor if this one shuts down or is lost, without a limit.")
    try connection.visit(&options)
  }

  private static let defaultTopics = Topic.allCases.filter { $0 != .log }

  func run(on client: Client) async throws -> ProgramStatus {
    let target = until.map { WaitTarget.state($0) }
    let limit = connection.connectTimeout ?? (json ? nil : ClientLoop.unlimited)
    let reconnection = Reconnection(limit: reconnects ? ClientLoop.unlimited : limit, survivesShutdown: reconnects)
    if !json, topics.isEmpty, OutputTerminal.current.size != nil, !Terminal.isDumb {
      let subscription = try await client.subscribe(to: WatchModel.topics)
      return try await WatchTerminal(client, subscription, until: target, reconnection: reconnection).show()
    }
    let topics = topics.isEmpty ? Self.defaultTopics : topics
    let lines = WatchLines(topics: topics, isJSON: json, until: target, reconnection: reconnection)
    return try await lines.show(client, try await client.subscribe(to: topics))
  }
}
