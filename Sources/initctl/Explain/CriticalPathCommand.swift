internal import CommandLineOptions
internal import InitForecasts
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `critical-path`: shows the chain of initializers that determined the duration of a pass.
struct CriticalPathCommand: PassCommand {
  static let help = CommandHelp(
    "critical-path", "Show the chain of initializers that determined the duration of a pass.",
    discussion: """
      The path begins at the opening of the pass, and ends with the initializer that ended last. LINK is the last wait of each \
      initializer: a dependency, a place among those that may run at once, its worker, or the opening. The shares add up to the duration \
      of the pass. Slack is how much longer an initializer could have taken without lengthening the pass.

      If the path waited long for places, the command says which concurrency would help, by a forecast like that of what-if. For an \
      active pass that waited for launch, it names the initializers that delayed it. With --phase all, both are one path, on which launch \
      is the link between them.

      Examples:
        initctl critical-path
        initctl critical-path --phase all
        initctl critical-path --pass 1 --json
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
    let path = CriticalPath(timeline)
    guard !json else {
      try Console.write(JSONLine.line(CriticalPathShape(timeline, path)))
      return .success
    }
    let terminal = OutputTerminal.current
    var lines = recorded.lines(Self.help.name, terminal)
    var forecaster = Forecaster(timeline, among: recorded.status.initializers)
    if let advice = forecaster.advice(on: path) {
      lines += Paragraph.lines(advice.phrase(timeline), terminal)
    }
    if !path.steps.isEmpty { lines += [""] + PathTable.table(path, of: timeline.duration).lines(terminal) }
    if !path.slack.isEmpty { lines += [""] + PathTable.slack(path, limit: 10).lines(terminal) }
    if path.slack.count > 10 { lines.append("\(path.slack.count - 10) more have more slack") }
    try Console.write(lines.joined(separator: "\n") + "\n")
    return .success
  }
}

/// A critical path as tables.
enum PathTable {
  /// Returns a table of the path, in the order of time.
  static func table(_ path: CriticalPath, of duration: Double) -> Table {
    var table = Table(columns: [
      .init(title: "CRITICAL PATH", isNumber: false), .init(title: "SHARE", importance: 6),
      .init(title: "OF ALL", importance: 3), .init(title: "RUNNING", importance: 5),
      .init(title: "QUEUED", importance: 2), .init(title: "BACKOFF", importance: 1),
      .init(title: "LINK", isNumber: false, importance: 4),
    ])
    table.rows = path.steps.map { step in
      let percent = duration > 0 ? Int((step.share / duration * 100).rounded()) : 0
      return [
        .init(TerminalText.escape(step.name) + step.phase.suffix), Phrases.cell(step.share), "\(percent)%",
        Phrases.cell(step.running),
        Phrases.cell(step.queued), Phrases.cell(step.backoff), .init(step.phrase),
      ]
    }
    return table
  }

  /// Returns a table of the initializers with the least slack.
  static func slack(_ path: CriticalPath, limit: Int) -> Table {
    var table = Table(columns: [.init(title: "NOT ON THE PATH", isNumber: false), .init(title: "SLACK")])
    table.rows = path.slack.prefix(limit).map {
      [.init(TerminalText.escape($0.name) + $0.phase.suffix), "\(Phrases.duration($0.slack))"]
    }
    return table
  }
}

extension CriticalStep {
  /// `after migrate`, `in the place of migrate`.
  fileprivate var phrase: String {
    let from = TerminalText.escape(from ?? "")
    return switch link {
    case .dependency: "after \(from)"
    case .place: "in the place of \(from)"
    case .worker: "its worker registered"
    case .launch: "launch complete, after \(from)"
    case .opening: "the pass opened"
    }
  }
}

extension Phase? {
  /// The suffix ` (active)`, if initializers of both phases are shown.
  fileprivate var suffix: String { self.map { " (\($0.rawValue))" } ?? "" }
}

extension PlacesAdvice {
  /// Returns a sentence: `for 94% of the time, initializers of the path waited for one of the 8 places; with --concurrency 64, …`.
  fileprivate func phrase(_ timeline: Timeline) -> String {
    let places = concurrency == 1 ? "the only place" : "one of the \(concurrency) places"
    let whole = "for \(percent)% of the time, the path waited for \(places)"
    switch finding {
    case .better(let concurrency, let predicted):
      let change = Phrases.percent(timeline.duration, predicted).map { " (\($0))" } ?? ""
      return "\(whole); with --concurrency \(concurrency), it would take about \(Phrases.duration(predicted))\(change)"
    case .boundByCores(let used): return "\(whole); \(used.phrase("used")): more concurrency won't help"
    case .useless: return "\(whole); more places wouldn't help"
    case .untried: return "\(whole); try initctl what-if --concurrency"
    }
  }
}
