internal import InitForecasts
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// What a pass did, for somebody who wasn't there: a value, without environment variables.
///
/// All texts are escaped for terminals, and not yet for the format.
struct Report {
  /// An initializer of the pass.
  struct Row {
    let name: String
    /// How its last run ended, or its status if it hasn't run.
    let outcome: String
    let isFailure: Bool
    /// Whether it has run.
    let hasRun: Bool
    /// When its last run started, in seconds since the pass was opened.
    let started: Double?
    /// How long its last run took, in seconds.
    let duration: Double?
    /// Why it has failed, or wasn't run.
    let cause: String
    /// The lines of its last run, as they were logged.
    let output: [String]
  }

  /// What happened, in a line: `pass 1 (launch) complete in 424 ms`.
  let title: String
  /// Whether the pass is complete, and the app is ready.
  let isComplete: Bool
  /// The processes: what each does, and its last lines if it is in trouble.
  let processes: [(state: String, output: [String])]
  /// Facts about the pass and the programs.
  let facts: [(name: String, value: String)]
  let rows: [Row]
  /// Why the app isn't ready now.
  let why: [String]
  /// Where the time went.
  let path: [String]
  /// What differs from the usual.
  let comparison: [String]
  /// The bars, as an SVG picture.
  let picture: String

  /// Collects what a source knows of a pass.
  init(_ recorded: RecordedPass, from source: some PassSource) async throws {
    let pass = recorded.pass
    let plain = OutputTerminal(size: nil, hasColor: false)
    title = recorded.timeline.phrase
    rows = await Self.rows(of: recorded, from: source)
    processes = await Self.processes(of: recorded.status, from: source)
    let why = await source.why(.state(.ready), recorded.status)
    let isReady = why?.status == Status.State.Name.complete.rawValue
    isComplete = pass.outcome == .complete && isReady
    facts = [(name: "the app", value: isReady ? "ready" : "not ready")] + Self.facts(of: recorded, source.record)
    self.why = isReady ? [] : why?.lines(plain, now: recorded.status.time) ?? []
    let critical = CriticalPath(recorded.timeline)
    path =
      critical.steps.isEmpty ? [] : PathTable.table(critical, of: recorded.timeline.duration).lines(plain)
    comparison = await CompareCommand.lines(of: pass.pass, in: source)
    picture = Plot(recorded.timeline, caption: Phrases.moment(pass.started)).svg
  }

  private static func facts(of recorded: RecordedPass, _ record: PassRecording?) -> [(name: String, value: String)] {
    let (pass, status) = (recorded.pass, recorded.status)
    var facts = [("started", Phrases.moment(pass.started))]
    if let record { facts.append(("recorded", record.phrase)) }
    if let manifest = status.manifest {
      facts.append(("manifest", TerminalText.escape(manifest.joined(separator: ", "))))
    }
    if let ports = status.ports {
      facts.append(("ports", ports.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))
    }
    if let concurrency = pass.concurrency { facts.append(("concurrency", "\(concurrency)")) }
    if let cores = pass.cores { facts.append(("cores", "\((cores * 10).rounded() / 10)")) }
    facts.append(("initctl", Release.version))
    return facts.map { (name: $0.0, value: $0.1) }
  }

  private static func processes(
    of status: Status, from source: some PassSource
  ) async -> [(state: String, output: [String])] {
    var processes: [(state: String, output: [String])] = []
    for each in status.processes ?? [] {
      let hasTrouble = each.trouble(at: status.time, of: status.time) != nil
      let lines = hasTrouble ? await source.lastLines(of: each.name).suffix(Self.mostLines) : []
      processes.append((each.phrase(at: status.time, of: status.time), lines.map { TerminalText.output($0.line) }))
    }
    return processes
  }

  /// How many lines of a process in trouble are shown.
  private static let mostLines = 40

  private static func rows(of recorded: RecordedPass, from source: some PassSource) async -> [Row] {
    let (pass, status) = (recorded.pass, recorded.status)
    var last: [String: Pass.Run] = [:]
    for run in pass.runs { last[run.initializer] = run }
    var rows: [Row] = []
    for run in pass.runs.sorted(by: { $0.started < $1.started }) where last[run.initializer]?.run == run.run {
      let isFailure = run.outcome == .failed
      let lines = await source.lastLines(of: run.initializer).filter { $0.run == run.run }
      rows.append(
        Row(
          name: TerminalText.escape(run.initializer), outcome: run.outcome?.phrase ?? "running", isFailure: isFailure,
          hasRun: true, started: run.started - (pass.opened ?? pass.started), duration: run.duration,
          cause: run.cause.map { TerminalText.escape("\($0)") } ?? "",
          output: lines.map { TerminalText.output($0.line) }))
    }
    for each in status.initializers
    where last[each.name] == nil && (each.pass == pass.pass || isUnrun(each, in: pass)) {
      rows.append(
        Row(
          name: TerminalText.escape(each.name), outcome: each.status.phrase, isFailure: false, hasRun: false,
          started: nil,
          duration: nil,
          cause: TerminalText.escape(each.skipped?.message ?? each.blockedBy.map { "after \($0) failed" } ?? ""),
          output: []))
    }
    return rows
  }

  /// Whether an initializer of the pass's phase was skipped, or not run because of a failure.
  private static func isUnrun(_ each: Initializer, in pass: Pass) -> Bool {
    let isOfPhase = each.priority == .appActive ? pass.phase == .active : pass.phase == .launch
    return isOfPhase && (each.status == .skipped || each.status == .notRun)
  }
}
