internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `history`: lists the last passes.
struct HistoryCommand: PassCommand {
  static let help = CommandHelp(
    "history", "List the last passes, the newest last.",
    discussion: """
      Without --all, the last 32 passes of this supervisor are known. With a state directory (initd --state-directory), the last 1,000 \
      passes are kept, including those of earlier supervisors: --all lists them. Pass numbers begin again with each supervisor. \
      SUPERVISOR distinguishes them: it is the beginning of the supervisor's instance. A pass is interrupted if its supervisor ended \
      during it, e.g. because it was killed. Such a pass ends with its last recorded event.

      Examples:
        initctl history
        initctl history --all --phase launch
        initctl history --phase launch --limit 3 --json
      """)

  private var limit: Int?
  private var isWhole = false
  private var pass = PassOptions()
  private var json = false
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option("limit", &limit, .count("n"), help: "List only the last n passes. Default: all that are known.")
    try options.flag("all", &isWhole, help: "Also list the passes of earlier supervisors, from the state directory.")
    try options.option("pass", &pass.pass, .count("n"), help: "Only the pass with this number.")
    try options.option("phase", &pass.phase, .word("phase"), help: "Only passes of this phase: launch or active.")
    try pass.validate()
    try options.flag(
      "json", &json, help: "Print one JSON object a pass, as in the protocol: with its runs, or with --all its summary."
    )
    try record.visit(&options)
    try connection.visit(&options)
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    guard !isWhole else { return try await listAll(of: source) }
    let status = try await source.status()
    let limit = limit ?? .max
    let params = HistoryRequest(limit: limit, pass: pass.pass, phase: pass.phase, inFlight: true)
    let passes = try await source.history(params).passes.suffix(limit)
    if passes.isEmpty, pass.pass != nil { throw try await source.missingPass(pass.pass, of: pass.phase) }
    if json {
      for pass in passes { try Console.write(JSONLine.line(pass)) }
    } else {
      let lines = passes.isEmpty ? ["no passes"] : table(passes, status).lines(.current)
      try Console.write(lines.joined(separator: "\n") + "\n")
    }
    return .success
  }

  /// Lists the summaries of the kept passes, and of those in flight.
  private func listAll(of source: some PassSource) async throws -> ProgramStatus {
    // A number may be of several supervisors, so it isn't in the request: that means a pass of this supervisor.
    let params = HistoryRequest(limit: .max, phase: pass.phase, inFlight: true, summaries: true)
    let all = try await source.history(params).summaries ?? []
    let chosen = pass.pass.map { number in all.filter { $0.pass == number } } ?? all
    if chosen.isEmpty, pass.pass != nil { throw MissingPass(pass.pass, of: nil, known: all.map(\.pass)) }
    var summaries = Array(chosen.suffix(limit ?? .max))
    if let record = source.record {
      for index in summaries.indices where summaries[index].instance == nil {
        summaries[index].instance = record.instance
      }
    }
    if json {
      for summary in summaries { try Console.write(JSONLine.line(summary)) }
    } else {
      let lines = summaries.isEmpty ? ["no passes"] : table(summaries).lines(.current)
      try Console.write(lines.joined(separator: "\n") + "\n")
    }
    return .success
  }

  private static let columns: [Table.Column] = [
    .init(title: "PASS"), .init(title: "PHASE", isNumber: false, importance: 4),
    .init(title: "OUTCOME", isNumber: false, importance: 6),
    .init(title: "STARTED", isNumber: false, importance: 1), .init(title: "HELD", importance: 2),
    .init(title: "DURATION", importance: 5), .init(title: "RUNS", importance: 3),
    .init(title: "FAILED", isNumber: false, importance: 0),
  ]

  private func table(_ summaries: some Sequence<Pass.Times>) -> Table {
    var table = Table(columns: Self.columns + [.init(title: "SUPERVISOR", isNumber: false, importance: 3)])
    table.rows = summaries.map { summary in
      [
        "\(summary.pass)", .init(summary.phase.phrase), summary.outcomeCell,
        .init(Phrases.moment(summary.started)), Phrases.cell(summary.held), "\(Phrases.duration(summary.duration))",
        "\(summary.runCount)", .init(summary.failedNames),
        .init(summary.instance.map { TerminalText.escape(String($0.prefix(8))) } ?? "this one"),
      ]
    }
    return table
  }

  private func table(_ passes: some Sequence<Pass>, _ status: Status) -> Table {
    var table = Table(columns: Self.columns)
    table.rows = passes.map { pass in
      let summary = Pass.Times(Timeline(pass, status: status))
      return [
        "\(summary.pass)", .init(summary.phase.phrase), summary.outcomeCell,
        .init(Phrases.moment(summary.started)), Phrases.cell(summary.held), "\(Phrases.duration(summary.duration))",
        "\(summary.runCount)", .init(summary.failedNames),
      ]
    }
    return table
  }
}

extension Pass.Times {
  /// The number of the pass's runs.
  ///
  /// A summary of an older supervisor contains only the runs of each initializer.
  fileprivate var runCount: Int { runs ?? initializers.reduce(0) { $0 + $1.attempts } }

  fileprivate var outcomeCell: Table.Cell {
    .init(interrupted == true ? "interrupted" : outcome.phrase, outcome.known?.color)
  }

  /// What failed: first the initializer whose failure failed the pass.
  fileprivate var failedNames: String {
    let others = initializers.filter { $0.outcome == .failed && $0.name != failedBy }.map(\.name)
    return TerminalText.escape(Phrases.list([failedBy].compactMap(\.self) + others))
  }
}
