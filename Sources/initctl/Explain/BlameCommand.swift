internal import CommandLineOptions
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `blame`: shows where the time of a pass went, the longest run first.
struct BlameCommand: PassCommand {
  static let help = CommandHelp(
    "blame", "Show where the time of a pass went: the longest runs first.",
    discussion: """
      Columns: RUNNING is the time of all attempts. CPU is their CPU time, including that of the processes that they waited for; the \
      start of a process has that of all its descendants. BACKOFF is the time of the pauses between attempts. WAITED is the time from the \
      opening of the pass until the last dependency completed, QUEUED from then to the first attempt. FINISHED is the sum. A pass opens when \
      it can begin: an active pass waits for launch.

      Examples:
        initctl blame
        initctl blame --phase launch --json
      """)

  private var pass = PassOptions()
  private var json = false
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try pass.visit(&options)
    try options.flag("json", &json, help: "Print one JSON object, on one line.")
    try record.visit(&options)
    try connection.visit(&options)
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    let recorded = try await source.recordedPass(pass)
    let timeline = recorded.timeline
    let blame = BlameShape(timeline)
    guard !json else {
      try Console.write(JSONLine.line(blame))
      return .success
    }
    let terminal = OutputTerminal.current
    let table = BlameCommand.table(
      blame, isJoint: timeline.joint != nil,
      optional: Set(recorded.status.initializers.filter { $0.optional == true }.map(\.name)))
    var lines = recorded.lines(Self.help.name, terminal)
    if let used = timeline.coresUsed, let cores = timeline.pass.cores {
      lines.append("its runs used \(Phrases.cores(used, of: cores)) on average")
    }
    lines += (table.rows.isEmpty ? [] : [""]) + table.lines(terminal)
    try Console.write(lines.joined(separator: "\n") + "\n")
    return .success
  }

  private static func table(_ blame: BlameShape, isJoint: Bool, optional: Set<String>) -> Table {
    let phase = isJoint ? [Table.Column(title: "PHASE", isNumber: false, importance: 5)] : []
    let columns: [Table.Column] = [
      .init(title: "OUTCOME", isNumber: false, importance: 6),
      .init(title: "ATTEMPTS", importance: 1), .init(title: "RUNNING", importance: 8),
      .init(title: "CPU", importance: 5), .init(title: "QUEUED", importance: 4),
      .init(title: "WAITED", importance: 3), .init(title: "BACKOFF", importance: 2),
      .init(title: "FINISHED", importance: 7),
    ]
    var table = Table(columns: [.init(title: "NAME", isNumber: false)] + phase + columns)
    table.rows = blame.initializers.map { row in
      let each = row.summary
      let isExcused = each.outcome == .failed && optional.contains(each.name)
      let phase: [Table.Cell] = isJoint ? [.init(row.phase?.phrase ?? "")] : []
      return [.init(TerminalText.escape(each.name))] + phase + [
        .init(each.outcome.phrase + (isExcused ? ", optional" : ""), each.outcome.known?.color),
        "\(each.attempts)", Phrases.cell(each.running), Phrases.cell(each.cpu ?? 0), Phrases.cell(each.queued),
        Phrases.cell(each.waited), Phrases.cell(each.backoff), Phrases.cell(each.finished),
      ]
    }
    return table
  }
}
