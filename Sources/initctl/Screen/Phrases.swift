internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

// Shapes as text for a terminal: text from other programs is escaped.

extension Phrases {
  /// Formats a moment in UTC, in the format of RFC 3339, with milliseconds.
  static func moment(_ secondsSinceEpoch: Double) -> String { MomentText.print(secondsSinceEpoch) }
}

extension Word {
  /// The text for people, escaped if it is from a later version.
  var phrase: String {
    switch self {
    case .known(let word): word.rawValue
    case .unknown(let text): TerminalText.escape(text)
    }
  }
}

extension Word<ProviderKind> {
  /// The text for people, escaped if it is from a later version.
  var phrase: String { self == .inProcess ? "in-process" : TerminalText.escape(rawValue) }
}

extension Word<InitializerStatus> {
  /// The text for people, escaped if it is from a later version.
  var phrase: String { known?.phrase ?? TerminalText.escape(rawValue) }
}

extension Status.State {
  /// Describes the state: `complete (pass 1)`, `failed (pass 3): why`.
  func phrase(_ style: Style) -> String {
    var phrase = style.paint(state.phrase, state.known?.color)
    if let pass { phrase += " (pass \(pass))" }
    if let error { phrase += ": " + TerminalText.escape(error.message) }
    return phrase
  }
}

extension Status.Worker {
  /// `api-worker (pid 4720): favorites, prices`.
  var phrase: String {
    let process = pid.map { " (pid \($0))" } ?? ""
    let names = initializers.isEmpty ? "nothing registered" : initializers.joined(separator: ", ")
    return TerminalText.escape(client + process + ": " + names)
  }
}

extension Status.Process {
  /// Describes the process: `shelf (pid 4720): up 2 min 13 s, 1 restart`, `shelf: starts again in 1.2 s, last: exit status 3`.
  ///
  /// `now` is the current time, in seconds since the Unix epoch. `time` is the time of the shape.
  func phrase(at now: Double, of time: Double) -> String {
    let process = pid.map { " (pid \($0))" } ?? ""
    return TerminalText.escape(name + process + ": " + condition(at: now, of: time, isAdvising: true))
  }
}

extension Initializer {
  /// Returns the duration of the initializer's last run, or of the current run so far, in seconds.
  func elapsed(at now: Double) -> Double? {
    switch status {
    case .known(.complete), .known(.failed), .known(.cancelled): duration
    case .known(.running), .known(.stopping): started.map { max(0, now - $0) }
    // Only an initializer between two attempts has one.
    case .known(.waiting): duration
    case .known(.idle), .known(.notRun), .known(.skipped), .unknown: nil
    }
  }

  /// Returns the time from the start of the first attempt to the end, or to now, in seconds, if the initializer was retried: it includes
  /// all attempts and pauses.
  func total(at now: Double) -> Double? {
    guard let first = firstStarted ?? (nextAttempt == nil ? nil : started) else { return nil }
    let isOver = status != .waiting && status != .running && status != .stopping
    guard isOver else { return max(0, now - first) }
    return duration.flatMap { duration in started.map { $0 + duration - first } }
  }

  /// The phase of its run, if that counts; otherwise the initializer's own phase, which a reload may have changed.
  var shownPhase: Word<Phase> {
    switch status {
    case .known(.idle), .known(.notRun), .known(.skipped): break
    case .known(.waiting), .known(.running), .known(.stopping), .known(.complete), .known(.failed), .known(.cancelled),
      .unknown:
      if let phase { return phase }
    }
    return switch priority {
    case .known(.appLaunch): .known(.launch)
    case .known(.appActive): .known(.active)
    case .unknown(let word): .unknown(word)
    }
  }
}
