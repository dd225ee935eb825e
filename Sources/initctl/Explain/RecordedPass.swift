internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// A pass as the supervisor recorded it, or launch and the active pass that waited for it.
///
/// The Status shortly before shows which initializers still wait.
struct RecordedPass {
  /// Where the time went.
  let timeline: Timeline
  let status: Status
  /// How launch delayed the pass, if it did.
  let launchWait: LaunchWait?
  /// A newer pass that ran nothing, and therefore isn't the default.
  let emptyPass: Pass?

  /// The pass and its runs.
  var pass: Pass { timeline.pass }

  /// Returns the heading for people, in lines that fit the terminal.
  ///
  /// `command` is the command that explains the pass.
  func lines(_ command: String, _ terminal: OutputTerminal) -> [String] {
    ([timeline.phrase] + notes(command)).flatMap { Paragraph.lines($0, terminal) }
  }

  /// Returns hints at other commands.
  ///
  /// `command` is the command that explains the pass.
  func notes(_ command: String) -> [String] {
    var notes: [String] = []
    if let launchWait { notes.append(launchWait.phrase) }
    if let emptyPass {
      notes.append("pass \(emptyPass.pass) (\(emptyPass.phase.phrase)), which is newer, ran nothing")
    }
    if timeline.joint == nil, launchWait != nil { notes.append("both together: initctl \(command) --phase all") }
    return notes
  }
}

extension LaunchWait {
  /// The sentence `the active pass waited 6.2 s for launch, in which static ended last; 5.1 s of that only for static, on which no active
  /// initializer depends`.
  fileprivate var phrase: String {
    let whole =
      "the active pass waited \(Phrases.duration(held)) for launch, in which \(TerminalText.escape(last)) ended last"
    guard needless >= 0.0005 else { return whole }
    let culprits = TerminalText.escape(Phrases.list(culprits))
    return whole
      + "; \(Phrases.duration(needless)) of that only for \(culprits), on which no active initializer depends"
  }
}

/// How many of the last launch passes are examined to find the one that an active pass waited for.
private let launchesToFind = 8

extension PassSource {
  /// Returns the pass that the options choose.
  ///
  /// - Throws: `MissingPass`, or an error of the client.
  func recordedPass(_ options: PassOptions) async throws -> RecordedPass {
    // The Status comes first. An initializer that starts between the two answers is then both waiting and running, never neither.
    let status = try await status()
    var newest = try await newestPass(options)
    var emptyPass: Pass?
    if options.pass == nil, options.phase == nil, !options.isJoint, newest.ranNothing,
      let other = try await newestThatRan()
    {
      emptyPass = newest
      newest = other
    }
    let launch = newest.waitedForLaunch || options.isJoint ? try await launchPass(heldUp: newest) : nil
    let joint = launch.map { Timeline(joining: $0, newest, status: status) }
    let wait = joint.flatMap { LaunchWait($0, in: status) }
    if options.isJoint {
      guard let joint else { throw MissingPass(nothingBefore: newest) }
      return RecordedPass(timeline: joint, status: status, launchWait: wait, emptyPass: nil)
    }
    return RecordedPass(
      timeline: Timeline(newest, status: status), status: status, launchWait: wait, emptyPass: emptyPass)
  }

  private func newestPass(_ options: PassOptions) async throws -> Pass {
    let phase = options.isJoint ? .active : options.phase
    let passes = try await history(HistoryRequest(pass: options.pass, phase: phase, inFlight: true)).passes
    guard let pass = passes.max(by: { ($0.rank, $0.pass) < ($1.rank, $1.pass) }) else {
      throw try await missingPass(options.pass, of: phase)
    }
    return pass
  }

  /// Returns the newest pass that ran an initializer; nil if none did.
  private func newestThatRan() async throws -> Pass? {
    var limit = 2
    while true {
      let passes = try await history(HistoryRequest(limit: limit)).passes
      if let found = passes.last(where: { !$0.runs.isEmpty }) { return found }
      guard passes.count >= limit else { return nil }
      limit *= 2
    }
  }

  /// Returns the launch pass that an active pass waited for; nil if it didn't have to wait.
  private func launchPass(heldUp active: Pass) async throws -> Pass? {
    let launches = try await history(
      HistoryRequest(limit: launchesToFind, phase: .launch, inFlight: true)
    ).passes
    return launches.last { launch in
      let end = launch.duration.map { launch.started + $0 } ?? .infinity
      return launch.started <= active.opened ?? .infinity && end > active.started
    }
  }

  /// Returns the error for a pass that isn't known.
  func missingPass(_ pass: Int?, of phase: Phase?) async throws -> MissingPass {
    let known = try await history(HistoryRequest(limit: .max, inFlight: true, summaries: true)).summaries ?? []
    return MissingPass(pass, of: phase, known: known.filter { $0.instance == nil }.map(\.pass))
  }
}

extension Pass {
  /// A pass in flight is newer than an ended pass, and an opened pass is newer than a pass that waits for launch.
  fileprivate var rank: Int {
    if duration != nil { return 0 }
    return opened == nil ? 1 : 2
  }

  /// Whether the pass has ended without a run.
  fileprivate var ranNothing: Bool { duration != nil && runs.isEmpty }

  /// Whether this is an active pass that couldn't begin at once.
  fileprivate var waitedForLaunch: Bool {
    guard phase == .active else { return false }
    return opened.map { $0 - started >= 0.0005 } ?? true
  }
}

/// The requested pass doesn't exist.
struct MissingPass: Error, CustomStringConvertible {
  let description: String

  /// - Parameters:
  ///   - pass: the requested number.
  ///   - phase: the requested phase.
  ///   - known: the numbers of all existing passes.
  init(_ pass: Int?, of phase: Phase?, known: [Int]) {
    let ranges = known.sorted().ranges.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
    }
    description =
      switch (pass, phase) {
      case (let pass?, _) where !known.isEmpty:
        "pass \(pass) is unknown or forgotten; use one of these: \(ranges.joined(separator: ", "))"
      case (nil, let phase?): "no pass of the \(phase.rawValue) phase has started yet"
      default: "no pass has started yet; start one with initctl launch"
      }
  }

  /// Creates the error if no launch can be shown with an active pass.
  init(nothingBefore active: Pass) {
    description =
      "pass \(active.pass) (active) didn't wait for launch, so there is nothing to show together with it; "
      + "use --pass \(active.pass), or --phase launch"
  }
}

extension [Int] {
  /// Sorted numbers as ranges without gaps.
  fileprivate var ranges: [ClosedRange<Int>] {
    reduce(into: []) { ranges, number in
      if let last = ranges.last, last.upperBound + 1 >= number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
  }
}
