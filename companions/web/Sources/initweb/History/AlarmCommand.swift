internal import ArgumentParser
internal import Foundation
internal import PassStore
internal import Passes
internal import SlowPasses

/// `initweb alarm`: tells whether the newest pass was slower than usual.
struct AlarmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarm",
    abstract: "Tell whether the newest complete pass was slower than usual, for CI and cron.",
    discussion: """
      The pass is compared with earlier complete passes of the same phase in which the same \
      initializers ran. A pass that was resumed, or that reran a part, isn't comparable with a whole one. Passes of earlier \
      supervisors are.

      The pass is slower if it took longer than each of these:
        - the median plus the percentage of --slower-than
        - the median plus 50 ms
        - the upper quartile plus three times the interquartile range
      So a pass may take longer if the durations vary more. If it is slower, the output lists the \
      initializers that took longer than their median, those on the critical path first.

      Exit status:
        0   not slower
        1   slower
        2   undecided: fewer than 8 comparable passes, or no complete pass
        64  wrong usage
        66  the history can't be read

      In CI, after the app was started:
        initweb alarm --history history.db --phase launch --slower-than 20%

      With cron, which mails the output, every hour:
        7 * * * * initweb alarm --quiet --since 1h --history history.db
      """)

  @OptionGroup var options: HistoryOptions

  @Option(
    help: ArgumentHelp("The increase over the median that is tolerated. Default: 20%.", valueName: "percentage"),
    transform: Percentage.init)
  var slowerThan = Percentage.standard
  @Option(help: ArgumentHelp("Compare with the last n comparable passes: 8 to 500.", valueName: "n"))
  var last = 20
  @Option(help: ArgumentHelp("Judge the newest pass with this number, not the newest pass.", valueName: "number"))
  var pass: Int?
  @Option(
    help: ArgumentHelp(
      "Judge a pass of this supervisor: the beginning of its instance, as the history lists it.", valueName: "instance")
  )
  var supervisor: String?
  @Option(
    help: ArgumentHelp("Judge only a pass that started within this time, e.g. 1h or 7d.", valueName: "duration"),
    transform: Period.init)
  var since: Period?
  @Flag(help: "Print nothing unless the pass was slower, or the history can't be read.")
  var quiet = false
  @Flag(help: "Print the result as one JSON object.")
  var json = false

  func validate() throws {
    guard SlowPassRule.minimum...PassStore.pageLimit ~= last else {
      throw ValidationError("--last must be \(SlowPassRule.minimum) to \(PassStore.pageLimit)")
    }
  }

  func run() async throws {
    let store = try await options.read()
    let choice = PassStore.Choice(
      phase: options.phase, number: pass, supervisor: supervisor,
      since: since.map { Date().timeIntervalSince1970 - $0.seconds })
    let found: PassStore.Comparison?
    do { found = try await store.comparison(of: choice, last: last) } catch { throw options.unreadable(error) }
    guard let found else { throw undecided(missing) }
    let rule = SlowPassRule(fraction: slowerThan.fraction)
    guard let verdict = rule.verdict(on: found.measure, comparedWith: found.earlier) else {
      let count = found.earlier.count
      throw undecided(
        """
        \(Self.words(found.pass)) can be compared with \(count) earlier \(count == 1 ? "pass" : "passes"), and \
        \(SlowPassRule.minimum) are needed; they must be complete, of the same phase, and with the same initializers
        """)
    }
    if quiet, !verdict.isSlower { return }
    print(json ? try JSONLine.text(Report(found.pass, verdict)) : text(found.pass, verdict))
    if verdict.isSlower { throw ExitCode.failure }
  }

  private func undecided(_ reason: String) -> ExitCode {
    quiet ? .undecided : complain("undecided: \(reason)", .undecided)
  }

  private var missing: String {
    let phase = options.phase.map { "\($0.rawValue) pass" } ?? "pass"
    let limits = [
      pass.map { "with number \($0)" }, supervisor.map { "of a supervisor \($0)…" },
      since.map { "that started in the last \($0)" },
    ].compactMap(\.self)
    return
      "\(options.history) has no complete \(([phase] + limits).joined(separator: " ")) in which an initializer ran"
  }

  private static func words(_ pass: PassEntry) -> String {
    "\(pass.phase.rawValue) pass \(pass.number) of supervisor \(pass.instance.prefix(8)), started \(Words.time(pass.started)),"
  }

  private func text(_ pass: PassEntry, _ verdict: SlowPassVerdict) -> String {
    let change = (verdict.duration / max(verdict.median, 1e-6) - 1) * 100
    let difference = change < 0 ? "\(Int(-change.rounded())) % less" : "\(Int(change.rounded())) % more"
    let reason =
      switch verdict.bound {
      case .fraction: "\(slowerThan) more than the median"
      case .floor: "\(Words.duration(SlowPassRule.floor)) more than the median"
      case .spread: "durations differ that much anyway"
      }
    var lines = [
      """
      \(verdict.isSlower ? "slower" : "not slower"): \(Self.words(pass)) took \(Words.duration(verdict.duration)), \
      \(difference) than usual
      """,
      """
      usual: \(Words.duration(verdict.median)), the median of \(verdict.passes) comparable passes; half of them took \
      \(Words.duration(verdict.lowerQuartile)) to \(Words.duration(verdict.upperQuartile))
      """,
      "limit: \(Words.duration(verdict.limit)): \(reason)",
    ]
    guard verdict.isSlower else { return lines.joined(separator: "\n") }
    guard !verdict.increases.isEmpty else {
      lines.append(
        "by what: no initializer took longer by itself; compare the number of initializers that may run at once")
      return lines.joined(separator: "\n")
    }
    let rows = verdict.increases.prefix(5).map { increase in
      [
        "  \(increase.initializer)", increase.kind.phrase, Words.duration(increase.median), "→",
        Words.duration(increase.duration), "+\(Words.duration(increase.increase))",
        increase.isOnCriticalPath ? "on the critical path" : "not on the critical path",
      ]
    }
    return lines.joined(separator: "\n") + "\nby what:\n" + Words.columns(rows).dropLast()
  }

  /// The result as JSON; durations are seconds.
  private struct Report: Encodable {
    let slower: Bool
    let id: Int
    let instance: String
    let pass: Int
    let phase: Phase
    let started: Double
    let duration: Double
    let median: Double
    let quartiles: [Double]
    let limit: Double
    let bound: SlowPassVerdict.Bound
    let passes: Int
    let increases: [SlowPassVerdict.Increase]

    init(_ pass: PassEntry, _ verdict: SlowPassVerdict) {
      slower = verdict.isSlower
      id = pass.id
      instance = pass.instance
      self.pass = pass.number
      phase = pass.phase
      started = pass.started
      duration = verdict.duration
      median = verdict.median
      quartiles = [verdict.lowerQuartile, verdict.upperQuartile]
      limit = verdict.limit
      bound = verdict.bound
      passes = verdict.passes
      increases = verdict.isSlower ? verdict.increases : []
    }
  }
}

extension SlowPassVerdict.Kind {
  /// For people.
  fileprivate var phrase: String {
    switch self {
    case .running: "ran"
    case .queued: "waited for a place or a worker"
    case .backoff: "paused between attempts"
    }
  }
}
