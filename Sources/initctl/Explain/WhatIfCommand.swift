internal import CommandLineOptions
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `what-if`: predicts how long a pass would have taken if something had been different.
struct WhatIfCommand: PassCommand {
  static let help = CommandHelp(
    "what-if", "Predict how long a pass would have taken if something had been different.",
    discussion: """
      The recorded pass is executed again in simulated time, with the supervisor's own rules and the recorded durations. Nothing is run.

      Examples:
        initctl what-if --concurrency 4
        initctl what-if --speedup migrate=2 --without menu
      """)

  private var whatIf = WhatIf()
  private var without: [String] = []
  private var speedups: [NamedValue] = []
  private var durations: [NamedValue] = []
  private var pass = PassOptions()
  private var json = false
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "concurrency", &whatIf.concurrency, .count("n"), help: "Let this many initializers run at once.")
    try options.option(
      "without", &without, .initializerName, help: "Pretend that this initializer doesn't exist. Can be repeated.")
    try options.option(
      "speedup", &speedups, .factor, help: "Make an initializer run this many times faster. Can be repeated.")
    try options.option(
      "duration", &durations, .namedDuration,
      help: "Let all attempts of an initializer take this long together. Can be repeated.")
    try pass.visit(&options)
    try options.flag("json", &json, help: "Print one JSON object, on one line.")
    try record.visit(&options)
    try connection.visit(&options)
    whatIf.without = Set(without)
    whatIf.speedups = Dictionary(speedups.map { ($0.name, $0.value) }) { $1 }
    whatIf.durations = Dictionary(durations.map { ($0.name, $0.value) }) { $1 }
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    let recorded = try await source.recordedPass(pass)
    let timeline = recorded.timeline
    guard timeline.delay == nil else {
      Console.complain(timeline.phrase + (recorded.advice(Self.help.name).map { "; \($0)" } ?? ""))
      return .failure
    }
    let executed = Set(recorded.pass.runs.map(\.initializer))
    let declared = Set(recorded.status.initializers.map(\.name))
    for name in whatIf.names where !executed.contains(name) {
      guard declared.contains(name) else {
        return UnknownName.complain(
          of: name, among: Array(declared.union(executed)).sorted(), remedy: "initctl status lists them")
      }
      // Without the initializer that the pass waited for, it would have been shorter.
      if whatIf.without.contains(name), timeline.initializers.contains(where: { $0.name == name }) { continue }
      Console.complain("\(name) did not run in pass \(recorded.pass.pass); this changes nothing")
    }
    let forecast = Forecast(of: timeline, among: recorded.status.initializers, whatIf).timeline
    let path = CriticalPath(forecast)
    guard !json else {
      try Console.write(JSONLine.line(WhatIfShape(timeline, forecast, path)))
      return .success
    }
    let terminal = OutputTerminal.current
    let change = Phrases.percent(timeline.duration, forecast.duration).map { " (\($0))" } ?? ""
    var lines = recorded.lines(Self.help.name, terminal)
    lines += Paragraph.lines("predicted: \(Phrases.duration(forecast.duration))\(change) \(conditions)", terminal)
    if !path.steps.isEmpty { lines += [""] + PathTable.table(path, of: forecast.duration).lines(terminal) }
    try Console.write(lines.joined(separator: "\n") + "\n")
    return .success
  }

  private var conditions: String {
    var parts: [String] = []
    if let concurrency = whatIf.concurrency { parts.append("with concurrency \(concurrency)") }
    parts += whatIf.without.sorted().map { "without \($0)" }
    parts += whatIf.speedups.sorted { $0.key < $1.key }.map { "with \($0) \($1) times faster" }
    parts += whatIf.durations.sorted { $0.key < $1.key }.map { "with \($0) in \(Phrases.duration($1))" }
    return parts.isEmpty ? "with nothing changed" : parts.joined(separator: ", ")
  }
}

/// A name and its value, as `NAME=VALUE`.
struct NamedValue: Equatable {
  /// The initializer.
  let name: String
  /// A factor, or a duration in seconds.
  let value: Double
}

extension ArgumentKind<NamedValue> {
  /// `NAME=FACTOR`, with a factor from a thousandth to a million.
  fileprivate static var factor: Self {
    named("speedup", "name=factor", "write e.g. migrate=2, with a factor from 0.001 to 1000000") { text in
      Double(text).flatMap { 0.001...1e6 ~= $0 ? $0 : nil }
    }
  }

  /// `NAME=DURATION`.
  fileprivate static var namedDuration: Self {
    named("duration", "name=duration", "write e.g. migrate=500ms") {
      (try? DurationText.parse($0))?.inSeconds
    }
  }

  private static func named(
    _ noun: String, _ placeholder: String, _ advice: String, value: @escaping (String) -> Double?
  ) -> Self {
    Self(noun, placeholder: placeholder, values: .names(SupervisorNames(suffix: "="))) { text throws(InvalidArgument) in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, InitializerName.isValid(parts[0]), let value = value(parts[1]) else {
        throw InvalidArgument(advice)
      }
      return NamedValue(name: parts[0], value: value)
    }
  }
}
