internal import CommandLineOptions
internal import InitForecasts
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `compare`: shows which initializers got slower or faster from one pass to another.
struct CompareCommand: PassCommand {
  static let help = CommandHelp(
    "compare", "Show which initializers got slower or faster: between two passes, or in the newest pass.",
    discussion: """
      Without A, the median of the earlier complete passes of the same phase is used: of those that ran the same initializers, if there \
      are any. Without B, the newest pass is used.

      Only initializers that ran to completion in both passes are compared. Other initializers are listed below them, with the reason. A \
      launch that was resumed after a failure runs fewer initializers, so its duration isn't compared with that of a whole launch.

      Examples:
        initctl compare 1 2
        initctl compare 1 2 --json
      """)

  private var first: Int?
  private var second: Int?
  private var pass = PassOptions()
  private var json = false
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("a", &first, .count("a"), help: "The number of a pass.")
    try options.argument("b", &second, .count("b"), help: "The number of the pass to compare with.")
    try options.option("pass", &pass.pass, .count("n"), help: "The same as B.")
    try options.option(
      "phase", &pass.phase, .word("phase"), help: "Use the newest pass of this phase: launch or active.")
    try pass.validate()
    if second != nil, pass.pass != nil || pass.phase != nil {
      throw UsageError("--pass and --phase choose B; leave them out, or leave B out")
    }
    try options.flag("json", &json, help: "Print one JSON object, on one line.")
    try record.visit(&options)
    try connection.visit(&options)
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    let all = try await source.history(HistoryRequest(limit: .max, inFlight: true, summaries: true)).summaries ?? []
    let numbers = all.filter { $0.instance == nil }.map(\.pass)
    func named(_ number: Int) throws -> Pass.Times {
      guard let pass = all.last(where: { $0.pass == number && $0.instance == nil }) else {
        throw MissingPass(number, of: nil, known: numbers)
      }
      return pass
    }
    let before = try first.map(named)
    let chosen = try (second ?? pass.pass).map(named)
    guard let after = chosen ?? all.newest(of: pass.phase ?? before?.phase.known) else {
      throw MissingPass(nil, of: pass.phase, known: numbers)
    }
    if let before, chosen == nil, before.pass == after.pass {
      Console.complain(
        "pass \(before.pass) is the newest of the \(before.phase.phrase) phase, and can't be compared with itself; "
          + "name another pass, or omit it to compare with the median of the earlier passes")
      return .failure
    }
    if let before, before.phase != after.phase {
      Console.complain(
        "pass \(before.pass) is of the \(before.phase.phrase) phase, and pass \(after.pass) of the "
          + "\(after.phase.phrase) phase: they run different initializers")
    }
    if let before {
      let base = "pass \(before.pass) (\(before.phase.phrase))"
      try show(Comparison(.init(before), with: .init(after)), before, after, base)
    } else {
      guard let (usual, passes, isPart) = all.usual(before: after) else {
        let other = all.last { $0.phase == after.phase && $0.instance == nil && $0.pass != after.pass }
        let remedy = other.map { "name the pass to compare with, e.g. initctl compare \($0.pass) \(after.pass)" }
        Console.complain(
          "no earlier pass of the \(after.phase.phrase) phase is complete; "
            + (remedy ?? "compare two passes of it later"))
        return .failure
      }
      let comparison = Comparison(.init(usual, of: passes), with: .init(after))
      try show(comparison, nil, after, usual.words(isPart: isPart))
    }
    return .success
  }

  /// Returns how a pass differs from the usual; empty if there is no earlier one like it.
  static func lines(of pass: Int, in source: some PassSource) async -> [String] {
    let history = try? await source.history(HistoryRequest(limit: .max, inFlight: true, summaries: true))
    let all = history?.summaries ?? []
    guard let after = all.last(where: { $0.pass == pass && $0.instance == nil }),
      let (usual, passes, isPart) = all.usual(before: after)
    else { return [] }
    let comparison = Comparison(.init(usual, of: passes), with: .init(after))
    let table = CompareCommand().table(comparison)
    let rows = table.rows.isEmpty ? [] : [""] + table.lines(OutputTerminal(size: nil, hasColor: false))
    return ["from \(usual.words(isPart: isPart)) to pass \(pass): \(comparison.phrase)"] + rows
  }

  /// `base` is the other side of the comparison, as a text for people.
  private func show(
    _ comparison: Comparison, _ before: Pass.Times?, _ after: Pass.Times, _ base: String
  ) throws {
    guard !json else { return try Console.write(JSONLine.line(ComparisonShape(comparison, before?.pass, after.pass))) }
    let terminal = OutputTerminal.current
    let running = after.outcome == .running ? ", so far" : ""
    let passes = "from \(base) to pass \(after.pass) (\(after.phase.phrase)\(running)): "
    var lines = Paragraph.lines(passes + comparison.phrase, terminal)
    for table in [table(comparison), others(comparison, isMedian: before == nil)] where !table.rows.isEmpty {
      lines += [""] + table.lines(terminal)
    }
    try Console.write(lines.joined(separator: "\n") + "\n")
  }

  /// Returns the table of initializers that can't be compared.
  private func others(_ comparison: Comparison, isMedian: Bool) -> Table {
    var table = Table(columns: [
      .init(title: "NOT COMPARABLE", isNumber: false), .init(title: "BEFORE", importance: 1),
      .init(title: "AFTER", importance: 2), .init(title: "WHY", isNumber: false, importance: 3),
    ])
    table.rows = comparison.rows.compactMap { row in
      row.difference.map { difference in
        [
          .init(TerminalText.escape(row.name)), .init(row.before.map(Phrases.duration) ?? "-"),
          .init(row.after.map(Phrases.duration) ?? "-"), .init(difference.phrase(isMedian: isMedian)),
        ]
      }
    }
    return table
  }

  private func table(_ comparison: Comparison) -> Table {
    var table = Table(columns: [
      .init(title: "NAME", isNumber: false), .init(title: "BEFORE", importance: 2),
      .init(title: "AFTER", importance: 3), .init(title: "CHANGE", importance: 4),
      .init(title: "%", importance: 1),
    ])
    table.rows = comparison.rows.filter { $0.difference == nil }.map { row in
      let change = Phrases.change(row.before ?? 0, row.after ?? 0)
      let percent = row.before.flatMap { before in row.after.flatMap { Phrases.percent(before, $0) } } ?? ""
      return [
        .init(TerminalText.escape(row.name)), .init(row.before.map(Phrases.duration) ?? "-"),
        .init(row.after.map(Phrases.duration) ?? "-"),
        .init(change, change.hasPrefix("+") ? .red : change.hasPrefix("-") ? .green : nil), .init(percent),
      ]
    }
    return table
  }
}

extension [Pass.Times] {
  /// Returns the newest pass of this supervisor: the pass in flight if there is one.
  fileprivate func newest(of phase: Phase?) -> Pass.Times? {
    let own = filter { $0.instance == nil && (phase == nil || $0.phase.known == phase) }
    return own.max { ($0.rank, $0.pass) < ($1.rank, $1.pass) }
  }

  /// Returns the medians of the complete passes of the same phase before a pass: of those that ran the same initializers to completion,
  /// which may be a part of them; if there are none, of all.
  fileprivate func usual(
    before pass: Pass.Times
  ) -> (usual: Usual, passes: [Pass.Times], isPart: Bool)? {
    guard let phase = pass.phase.known else { return nil }
    let complete = filter { $0.started < pass.started && $0.phase == pass.phase && CompletePass($0) != nil }
    let completed = Comparison.Measure(pass).completed
    let same = complete.filter { Comparison.Measure($0).completed == completed }
    if let usual = Usual(of: phase, in: same.compactMap(CompletePass.init)) {
      return (usual, same, same.count < complete.count)
    }
    return Usual(of: phase, in: complete.compactMap(CompletePass.init)).map { ($0, complete, false) }
  }
}

extension Usual {
  /// What a pass is compared with; `isPart` says that only passes with the same initializers count.
  fileprivate func words(isPart: Bool) -> String {
    let same = isPart ? " with the same initializers" : ""
    return passes == 1 ? "the only earlier pass\(same)" : "the median of \(passes) earlier passes\(same)"
  }
}

extension Pass.Times {
  /// A pass in flight is newer than an ended pass, and an opened pass is newer than a pass that waits for launch.
  fileprivate var rank: Int {
    if outcome != .running { return 0 }
    return duration > 0 ? 2 : 1
  }
}

extension Comparison {
  /// The change of the durations; for passes that ran different initializers, the change of those that both ran to completion.
  fileprivate var phrase: String {
    guard !isComparable else { return Phrases.change(from: before, to: after) }
    let common = rows.filter { $0.difference == nil }
    let durations = "\(Phrases.duration(before)) and \(Phrases.duration(after))"
    let whole = "the durations, \(durations), can't be compared: they didn't run the same initializers to completion"
    guard !common.isEmpty else { return whole }
    let (old, new) = common.reduce(into: (0.0, 0.0)) {
      $0.0 += $1.before ?? 0
      $0.1 += $1.after ?? 0
    }
    let both = common.count == 1 ? "the one that ran to completion in both" : "the \(common.count) that did in both"
    return "\(whole); \(both) ran for \(Phrases.change(from: old, to: new))"
  }
}

extension Comparison.Difference {
  /// Why, for people; `isMedian` says that several passes are compared with one.
  fileprivate func phrase(isMedian: Bool) -> String {
    let first = isMedian ? "before" : "in the first"
    let second = isMedian ? "in this pass" : "in the second"
    return switch self {
    case .onlyBefore: "did not run \(second)"
    case .onlyAfter: "did not run \(first)"
    case .unfinished(before: true, after: true): isMedian ? "has never completed" : "did not complete in either"
    case .unfinished(before: true, after: false): "did not complete \(first)"
    case .unfinished(before: false, after: _): "did not complete \(second)"
    }
  }
}
