package import InitModel
internal import InitWords

extension Status.Process {
  /// The kind of a kept process's problem.
  package enum Trouble: String {
    /// The process doesn't run, although it should.
    case notRunning
    /// The process runs, but was restarted a moment ago after a failure: it may fail again.
    case restarted
    /// The process runs, and its checks fail.
    case unhealthy
    /// The process runs, but hasn't registered an initializer that waits for it.
    case unregistered
  }

  /// How long a restarted process must run before it counts as healthy, in seconds: the default of the limit `workerSettled`.
  private static let settled = 10.0

  /// Returns the problem of the process; nil if it has none.
  ///
  /// `now` is the current time, in seconds since the Unix epoch. `time` is the time of the shape.
  package func trouble(at now: Double, of time: Double) -> Trouble? {
    guard skipped == nil, stoppedBy == nil else { return nil }
    if unhealthy == true { return .unhealthy }
    let hasFailed = lastExit.map { $0 != .exit(status: 0) } ?? false
    guard pid != nil, let uptime else { return nextStart != nil || givenUp || hasFailed ? .notRunning : nil }
    return restarts > 0 && hasFailed && uptime + max(0, now - time) < Self.settled ? .restarted : nil
  }

  /// Describes in one line the state of the process and its last exit: `up 2 min 13 s, 1 restart`, `starts again in 1.2 s, last: exit
  /// status 3`.
  ///
  /// The text isn't escaped.
  ///
  /// `isAdvising` adds what to do about a process that was given up.
  package func condition(at now: Double, of time: Double, isAdvising: Bool = false) -> String {
    var parts: [String] = []
    if let uptime { parts.append("up \(Phrases.duration(uptime + max(0, now - time)))") }
    if unhealthy == true { parts.append(Self.illnessPhrase(since: unhealthySince, failure ?? "", now: now)) }
    if let nextStart { parts.append("starts again in \(Phrases.duration(max(0, nextStart - now)))") }
    if givenUp { parts.append(isAdvising ? "given up; \(remedy)" : "given up") }
    if external == true {
      parts.append(answers == true ? "run by hand" : "run by hand, and nobody answers")
    } else if let stoppedBy {
      let isOver = pid == nil
      parts.append(isOver ? Self.stopPhrase(stoppedBy, at: stoppedAt, now: now) : "is being stopped by \(stoppedBy)")
    } else if let skipped {
      parts.append("not started: \(skipped.message)")
    } else if pid == nil, nextStart == nil, !givenUp {
      parts.append(waitPhrase ?? (lastExit == nil ? "not started" : "has ended"))
    }
    if let earlierOutputs {
      let outputs = earlierOutputs.count == 1 ? "an earlier output" : "earlier outputs"
      parts.append("runs with \(outputs) of \(earlierOutputs.joined(separator: ", "))")
    }
    if restarts > 0 { parts.append("\(restarts) restart\(restarts == 1 ? "" : "s")") }
    if let lastExit { parts.append("last: \(lastExit)") }
    return parts.joined(separator: ", ")
  }

  /// Says for whose completion the start waits; nil if it waits for none.
  package var waitPhrase: String? { waitsFor.map { "waits for \(Phrases.list($0))" } }

  static let stopPrefix = "was stopped by "

  /// Says that a user has stopped the process: `was stopped by ops 3 s ago`.
  static func stopPhrase(_ user: String, at time: Double?, now: Double) -> String {
    stopPrefix + user + (time.map { " \(Phrases.duration(max(0, now - $0))) ago" } ?? "")
  }

  static let illnessPrefix = "has been unhealthy"

  /// Says since when and why the process is unhealthy: `has been unhealthy for 3 s: connection refused`.
  static func illnessPhrase(since: Double?, _ failure: String, now: Double) -> String {
    illnessPrefix + (since.map { " for \(Phrases.duration(max(0, now - $0)))" } ?? "")
      + (failure.isEmpty ? "" : ": \(failure)")
  }

  /// A text that says what to do about the problem.
  ///
  /// The text isn't escaped.
  package var remedy: String {
    if stoppedBy != nil { return "initctl start \(name)" }
    return "see initctl logs \(name)" + (givenUp ? ", fix it, and start it with initctl start \(name)" : "")
  }

  /// The number of the start that failed last.
  var failedStart: Int { pid == nil ? restarts + 1 : restarts }
}

extension Situation {
  /// The kept processes that don't run, or were restarted a moment ago.
  package var troubled: [Status.Process] {
    (status.processes ?? []).filter { $0.trouble(at: now, of: status.time) != nil }
  }

  /// The sentence about these processes beside READY, without the word; nil if there are none.
  ///
  /// The text isn't escaped.
  package var processTrouble: String? {
    let troubled = troubled
    guard let first = troubled.first else { return nil }
    guard troubled.count == 1 else {
      let restarted = troubled.filter { $0.trouble(at: now, of: status.time) == .restarted }.count
      let verb =
        restarted == 0 ? "don't run" : restarted == troubled.count ? "were restarted" : "don't run, or were restarted"
      return "\(troubled.count) processes \(verb): \(Phrases.list(troubled.map(\.name))); initctl why explains it"
    }
    let verb = first.trouble(at: now, of: status.time) == .restarted ? "was restarted" : "doesn't run"
    return "the process \(first.name) \(verb): \(first.condition(at: now, of: status.time)); \(first.remedy)"
  }
}
