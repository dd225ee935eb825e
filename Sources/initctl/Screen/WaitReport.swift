internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// Why a wait failed, for standard error.
enum WaitReport {
  /// Returns the sentence for a result other than complete.
  static func sentence(_ target: WaitTarget, _ state: Status.State) -> String {
    switch (state.state, state.error, target) {
    case (.known(.cancelled), _, _): "\(target) was cancelled"
    // The error's message already names its initializer.
    case (_, let error?, .initializer(let name)) where name == error.initializer: error.message
    case (_, let error?, .initializer(let name)): "\(name) can't run: \(error.message)"
    case (_, let error?, _): "\(target) failed: \(error.message)"
    case (_, nil, _): "\(target) is \(state.state.rawValue)"
    }
  }

  /// Returns the sentence after a timeout.
  ///
  /// `targets` are the targets that aren't complete. `why` is the cause of the first one's wait, if it is known.
  static func lateness(
    _ targets: [WaitTarget], after timeout: Duration?, _ why: Explanation?, now: Double
  ) -> String {
    let after = timeout.map { " after \(Phrases.duration($0.inSeconds))" } ?? ""
    let names = targets.map(\.description).joined(separator: ", ")
    return "timed out\(after) waiting for \(names)" + (why.map { ": " + $0.first.sentence(now: now) } ?? "")
  }

  /// Returns the tree, unless the sentence has said it all.
  static func lines(_ why: Explanation, _ terminal: OutputTerminal, now: Double) -> [String] {
    let isSaid = why.because.isEmpty && why.output == nil && why.remedy == nil
    return isSaid ? [] : why.lines(terminal, now: now, indent: "  ")
  }
}

extension WaitTarget {
  /// The names of targets other than initializers and passes.
  static let words = State.allCases.map(\.rawValue)

  /// Creates the target of a name.
  init(_ word: String) { self = State(rawValue: word).map(WaitTarget.state) ?? .initializer(word) }
}
