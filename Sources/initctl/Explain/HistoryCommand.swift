internal import CommandLineOptions
internal import InitClient
internal import InitTimeline
internal import InitWire

/// `history`: lists the last passes.
struct HistoryCommand: SupervisorCommand {
  static let help = CommandHelp(
    "history", "List the last passes, the newest last.",
    discussion: """
      Examples:
        initctl history
        initctl history --phase launch --limit 3 --json
      """)

  private var limit = 32
  private var pass = PassOptions()
  private var json = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option("limit", &limit, .count("n"), help: "How many of the last passes. Default: 32.")
    try options.option("pass", &pass.pass, .count("n"), help: "Only the pass with this number.")
    try options.option("phase", &pass.phase, .word("phase"), help: "Only passes of this phase: launch or active.")
    try pass.validate()
    try options.flag("json", &json, help: "Print one JSON object a pass, with its runs, as in the protocol.")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let status = try await client.status()
    let params = HistoryParams(limit: limit, pass: pass.pass, phase: pass.phase, inFlight: true)
    let passes = try await client.history(params).passes.suffix(limit)
    if passes.isEmpty, pass.pass != nil { throw try await client.missingPass(pass.pass, of: pass.phase) }
    if json {
      for pass in passes { try Console.write(JSONLine.line(pass)) }
    } else {
      let lines = passes.isEmpty ? ["no passes"] : table(passes, status).lines(.current)
      try Console.write(lines.joined(separator: "\n") + "\n")
    }
    return .success
  }

  private func table(_ passes: some Sequence<PassShape>, _ status: StatusShape) -> Table {
    var table = Table(columns: [
      .init(title: "PASS"), .init(title: "PHASE", isNumber: false, importance: 4),
      .init(title: "OUTCOME", isNumber: false, importance: 6),
      .init(title: "STARTED", isNumber: false, importance: 1), .init(title: "HELD", importance: 2),
      .init(title: "DURATION", importance: 5), .init(title: "RUNS", importance: 3),
      .init(title: "FAILED", isNumber: false, importance: 0),
    ])
    table.rows = passes.map { pass in
      let timeline = Timeline(pass, status: status)
      return [
        "\(pass.pass)", .init(pass.phase.phrase),
        .init(timeline.outcome.rawValue, timeline.outcome.color), .init(Phrases.moment(pass.started)),
        Phrases.cell(timeline.held), "\(Phrases.duration(timeline.duration))", "\(pass.runs.count)",
        .init(pass.error.map { TerminalText.escape($0.initializer) } ?? ""),
      ]
    }
    return table
  }
}
