internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

// The event, in the sentences of the supervisor's log.

extension Status.Event.PassChange {
  /// `active pass 3 started`, `active pass 3 is complete`.
  var sentence: String {
    let verb =
      switch status {
      case .known(.started): "started"
      case .known(.complete): "is complete"
      case .known(.failed): "failed"
      case .known(.cancelled): "was cancelled"
      case .unknown: "is \(status.phrase)"
      }
    return "\(phase.phrase) pass \(pass) \(verb)"
  }
}

extension Status.Event {
  /// Returns the sentence about events that were dropped because initctl didn't read in time.
  static func loss(of count: Int) -> String { "\(count) events were dropped: initctl read them too slowly" }
}

extension Initializer {
  /// Describes an event of the initializer: `a started`, `a: attempt 1 of 3 failed after 514 ms: exit status 3; next attempt in 1 s`.
  ///
  /// Escaped.
  ///
  /// `now` is the time of the event, in seconds since the Unix epoch.
  func news(at now: Double) -> String {
    guard status == .running, progress == nil, pid == nil else { return sentence(at: now) }
    return TerminalText.escape("\(name) started" + (attempt.map { $0 > 1 ? " (attempt \($0))" : "" } ?? ""))
  }

  /// Describes the current state of the initializer, or its outcome.
  ///
  /// Escaped.
  ///
  /// `now` is the current time, in seconds since the Unix epoch.
  func sentence(at now: Double) -> String {
    let after = duration.map { " after \(Phrases.duration($0))" } ?? ""
    func with(_ detail: String?) -> String { detail.map { $0.isEmpty ? "" : ": \($0)" } ?? "" }
    let sentence: String
    switch status {
    case .known(.complete) where stale == true: sentence = "\(name) is \(Self.stalePhrase)"
    case .known(.complete): sentence = "\(name) is complete\(after)" + with(unavailability)
    case .known(.failed),
      .known(.waiting) where isBetweenAttempts:
      let count = attempts.map { ": attempt \(attempt ?? 1) of \($0)" } ?? ""
      let next = nextAttempt.map { "; next attempt in \(Phrases.duration(max(0, $0 - now)))" } ?? ""
      sentence = "\(name)\(count) failed\(after)" + with(ownError) + next
    case .known(.cancelled): sentence = "\(name) cancelled" + with(blockedBy.map { "\($0) failed first" })
    case .known(.notRun): sentence = "\(name) not run" + with(blockedBy.map { "\($0) failed first" })
    case .known(.skipped): sentence = "\(name) skipped" + with(skipped?.message)
    case .known(.idle), .known(.waiting), .known(.running), .known(.stopping), .unknown:
      sentence = "\(name) is \(status.rawValue)" + with(detail(at: now))
    }
    return TerminalText.escape(sentence)
  }
}
