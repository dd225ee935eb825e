internal import CommandLineOptions
internal import InitForecasts
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `what-if`: predicts how long a pass would have taken if something had been different.
struct WhatIfCommand: PassCommand {
  static let help = CommandHelp(
    "what-if", "Predict how long a pass would have taken if something had been different.",
    discussion: """
      The command executes the recorded pass again in simulated time, with the supervisor's own rules. Nothing is run.

      Runs whose CPU time is known share the cores: a run that computes takes longer beside others than alone, as it did in the pass. The \
      start of a process in workers is such a run. Runs that wait for something else take as long as recorded. So does a run whose CPU time \
      isn't known; if it takes a notable part of the pass, it is named. A command that waits in a shell's loop (until … do sleep … done) ends \
      when the thing that it waits for is up: at the recorded time, whenever it starts. --moment says the same of another initializer.

      For a pass that failed or was cancelled, a complete start is predicted: initializers that didn't run to completion take their usual \
      time. If that isn't known, it counts as long as it ran, so the prediction is a lower bound; unknown names these initializers.

      Examples:
        initctl what-if --concurrency 4
        initctl what-if --speedup migrate=2 --without menu
        initctl what-if --phase all --without-dependency menu:migrate
      """)

  private var whatIf = WhatIf()
  private var groups: [NamedValue] = []
  private var without: [String] = []
  private var dependencies: [String] = []
  private var speedups: [NamedValue] = []
  private var durations: [NamedValue] = []
  private var moments: [String] = []
  private var pass = PassOptions()
  private var json = false
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "concurrency", &whatIf.concurrency, .count("n"), help: "Let this many initializers run at once.")
    try options.option(
      "group", &groups, .places, help: "Let this many initializers of a group run at once. Can be repeated.")
    try options.option(
      "without", &without, .initializerName, help: "Pretend that this initializer doesn't exist. Can be repeated.")
    try options.option(
      "without-dependency", &dependencies, .dependency,
      help: "A dependency that doesn't exist: of the first initializer on the second; can be repeated.")
    try options.option(
      "speedup", &speedups, .factor, help: "Make an initializer run this many times faster. Can be repeated.")
    try options.option(
      "duration", &durations, .namedDuration,
      help: "Let all attempts of an initializer take this long together. Can be repeated.")
    try options.option(
      "moment", &moments, .initializerName,
      help:
        "An initializer that waits for something to come up: it ends when it did, whenever it starts; can be repeated.")
    try pass.visit(&options)
    try options.flag("json", &json, help: "Print one JSON object, on one line.")
    try record.visit(&options)
    try connection.visit(&options)
    whatIf.groups = Dictionary(groups.map { ($0.name, Int($0.value)) }) { $1 }
    whatIf.without = Set(without)
    whatIf.speedups = Dictionary(speedups.map { ($0.name, $0.value) }) { $1 }
    whatIf.durations = Dictionary(durations.map { ($0.name, $0.value) }) { $1 }
    whatIf.moments = Set(moments)
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    let recorded = try await source.recordedPass(pass)
    let timeline = recorded.timeline
    guard timeline.delay == nil else {
      Console.complain(timeline.phrase)
      return .failure
    }
    let usual = [.failed, .cancelled].contains(timeline.outcome) ? await source.usual() : nil
    var forecaster = Forecaster(timeline, among: recorded.status.initializers, usual: usual ?? [])
    var whatIf = whatIf
    whatIf.withoutDependencies = try DependencyText.resolve(dependencies, among: recorded)
    try check(whatIf, forecaster, recorded)
    try checkGroups(of: recorded)
    let forecast = forecaster.forecast(whatIf)
    let path = CriticalPath(forecast.timeline)
    guard !json else {
      try Console.write(JSONLine.line(WhatIfShape(timeline, forecast, path)))
      return .success
    }
    let terminal = OutputTerminal.current
    var lines = recorded.lines(Self.help.name, terminal)
    let bound = forecaster.boundByCores(forecast, whatIf)
    for text in ForecastPhrases(forecast, boundByCores: bound, of: timeline, whatIf).all {
      lines += Paragraph.lines(text, terminal)
    }
    if !path.steps.isEmpty { lines += [""] + PathTable.table(path, of: forecast.timeline.duration).lines(terminal) }
    try Console.write(lines.joined(separator: "\n") + "\n")
    return .success
  }

  /// Complains about groups that the pass doesn't have.
  private func checkGroups(of recorded: RecordedPass) throws {
    let known = recorded.pass.groups?.map(\.name) ?? []
    for group in whatIf.groups.keys.sorted() where !known.contains(group) {
      let meant = Suggestion.nearest(to: group, among: known).map { "did you mean \"\($0)\"?" }
      let all = known.isEmpty ? "it has no groups" : "it has \(Phrases.list(known))"
      Console.complain("no group of pass \(recorded.pass.pass) is named \"\(group)\"; \(meant ?? all)")
      throw ProgramStatus.usage
    }
  }

  /// Complains about names that change nothing.
  ///
  /// - Throws: the exit status, if an initializer with such a name is not declared.
  private func check(_ whatIf: WhatIf, _ forecaster: Forecaster, _ recorded: RecordedPass) throws {
    let declared = Set(recorded.status.initializers.map(\.name))
    for name in whatIf.names where !forecaster.runs(name) {
      guard declared.contains(name) else {
        let names = declared.union(recorded.pass.runs.map(\.initializer)).sorted()
        throw UnknownName.complain(of: name, among: names, remedy: "initctl status lists them")
      }
      // Without the initializer that the pass waited for, it would have been shorter.
      let waited = recorded.timeline.initializers.contains { $0.name == name }
      if whatIf.without.contains(name), waited { continue }
      Console.complain("\(name) did not run in pass \(recorded.pass.pass); this changes nothing")
    }
    for each in whatIf.withoutDependencies.sorted(by: { ($0.dependent, $0.dependency) < ($1.dependent, $1.dependency) })
    where forecaster.runs(each.dependent) && !forecaster.depends(each) {
      Console.complain("\(each.dependent) did not wait for \(each.dependency) itself; this changes nothing")
    }
  }
}

/// A name and its value, as `NAME=VALUE`.
struct NamedValue: Equatable {
  /// The initializer.
  let name: String
  /// A factor, or a duration in seconds.
  let value: Double
}

extension ArgumentKind<String> {
  /// `A:B`: an initializer and its dependency.
  fileprivate static var dependency: Self {
    Self("dependency", placeholder: "a:b", values: .names(SupervisorNames(suffix: ":"))) {
      text throws(InvalidArgument) in
      guard !DependencyText.splits(of: text).isEmpty else {
        throw InvalidArgument("write e.g. pages:bestsellers, the one that depends first")
      }
      return text
    }
  }
}

extension ArgumentKind<NamedValue> {
  /// `NAME=FACTOR`, with a factor from a thousandth to a million.
  fileprivate static var factor: Self {
    named("speedup", "name=factor", "write e.g. migrate=2, with a factor from 0.001 to 1000000") { text in
      Double(text).flatMap { 0.001...1e6 ~= $0 ? $0 : nil }
    }
  }

  /// `GROUP=N`.
  fileprivate static var places: Self {
    named("group", "group=n", "write e.g. db=4, with a number from 1 to 1000000") { text in
      Int(text).flatMap { 1...1_000_000 ~= $0 ? Double($0) : nil }
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
