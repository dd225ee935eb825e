internal import InitWire

// Shapes as text for a terminal: text from other programs is escaped.

/// Quantities in words.
enum Phrases {
  /// A duration, from a second on to a tenth: `210 ms`, `1.2 s`, `2 min 13 s`.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds > 0 else { return Duration.zero.words }
    let seconds = min(seconds, 1e12)
    return Duration.seconds((seconds * 1000).rounded() < 1000 ? seconds : (seconds * 10).rounded() / 10).words
  }

  /// A moment in UTC, in the format of RFC 3339, with milliseconds.
  static func moment(_ secondsSinceEpoch: Double) -> String {
    // From year 0 to 9999, so that nothing overflows and the year has four digits.
    let milliseconds = Int((min(max(secondsSinceEpoch, -62_167_219_200), 253_402_300_799) * 1000).rounded())
    let (days, ofDay) = (floorDivide(milliseconds, 86_400_000), floorModulo(milliseconds, 86_400_000))
    // The civil calendar, in years that begin in March: leap days come last.
    let shifted = days + 719_468
    let (era, ofEra) = (floorDivide(shifted, 146_097), floorModulo(shifted, 146_097))
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let dayOfYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let second = ofDay / 1000
    return "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))T\((second / 3600).digits(2)):"
      + "\((second / 60 % 60).digits(2)):\((second % 60).digits(2)).\((ofDay % 1000).digits(3))Z"
  }

  private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
    (number - floorModulo(number, divisor)) / divisor
  }

  private static func floorModulo(_ number: Int, _ divisor: Int) -> Int {
    let remainder = number % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

extension Word {
  /// The word, escaped if it is from a later version.
  var phrase: String {
    switch self {
    case .known(let word): word.rawValue
    case .unknown(let text): TerminalText.escape(text)
    }
  }
}

extension StateShape {
  /// `complete (pass 1)`, `failed (pass 3): why`.
  func phrase(_ style: Style) -> String {
    var phrase = style.paint(state.phrase, state.known?.color)
    if let pass { phrase += " (pass \(pass))" }
    if let error { phrase += ": " + TerminalText.escape(error.message) }
    return phrase
  }
}

extension ProgressShape {
  /// `50% half of the shelves`.
  var phrase: String {
    let percent = fraction.map { "\(Int((min(max($0, 0), 1) * 100).rounded(.down)))%" }
    return [percent, message.map { TerminalText.escape($0) }].compactMap(\.self).joined(separator: " ")
  }
}

extension WorkerShape {
  /// `api-worker (pid 4720): favorites, prices`.
  var phrase: String {
    let process = pid.map { " (pid \($0))" } ?? ""
    let names = initializers.isEmpty ? "nothing registered" : initializers.joined(separator: ", ")
    return TerminalText.escape(client + process + ": " + names)
  }
}

extension ProcessShape {
  /// `shelf (pid 4720): up 2 min 13 s, 1 restart`, `shelf: starts again in 1.2 s, last: terminated by SIGKILL`.
  ///
  /// - Parameters:
  ///   - now: the current time, in seconds since the Unix epoch.
  ///   - time: the time of the shape.
  func phrase(at now: Double, of time: Double) -> String {
    var parts: [String] = []
    if let uptime { parts.append("up \(Phrases.duration(uptime + max(0, now - time)))") }
    if let nextStart { parts.append("starts again in \(Phrases.duration(max(0, nextStart - now)))") }
    if givenUp {
      parts.append("given up; see initctl logs \(name), fix it, and start it with initctl launch or activate")
    }
    if pid == nil, nextStart == nil, !givenUp { parts.append(lastExit == nil ? "not started" : "has ended") }
    if restarts > 0 { parts.append("\(restarts) restart\(restarts == 1 ? "" : "s")") }
    if let lastExit { parts.append("last: \(lastExit)") }
    let process = pid.map { " (pid \($0))" } ?? ""
    return TerminalText.escape(name + process + ": " + parts.joined(separator: ", "))
  }
}

extension InitializerShape {
  /// Whether a worker has run it, and has disconnected since.
  var hasLostWorker: Bool { provider == .worker && !available && run != nil }

  /// The duration of its last run, or of the current run so far, in seconds.
  func elapsed(at now: Double) -> Double? {
    switch status {
    case .known(.complete), .known(.failed), .known(.cancelled): duration
    case .known(.running), .known(.stopping): started.map { max(0, now - $0) }
    case .known(.idle), .known(.waiting), .known(.notRun), .unknown: nil
    }
  }

  /// The phase of its last run, or else the one that it belongs to.
  var shownPhase: Word<Phase> {
    if let phase { return phase }
    return switch priority {
    case .known(.appLaunch): .known(.launch)
    case .known(.appActive): .known(.active)
    case .unknown(let word): .unknown(word)
    }
  }

  /// Details of its status: its progress, its error, or what it waits for.
  var detail: String {
    var parts: [String] = []
    if let attempt, attempt > 1 { parts.append("attempt \(attempt)") }
    if let progress, status == .running || status == .stopping { parts.append(progress.phrase) }
    if let error {
      // Its name is already shown before this.
      let own = "\(name) failed: "
      let message = error.message.hasPrefix(own) ? String(error.message.dropFirst(own.count)) : error.message
      parts.append(TerminalText.escape(message))
    } else if let blockedBy {
      parts.append("blocked by \(TerminalText.escape(blockedBy))")
    }
    if !available {
      let nobody = provider == .worker ? "no worker provides it" : "nothing provides it"
      parts.append(hasLostWorker ? "its worker has disconnected" : nobody)
    }
    return parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
