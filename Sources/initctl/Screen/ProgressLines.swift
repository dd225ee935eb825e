internal import InitTimeline
internal import InitWire

/// A line for each event that something has started, failed or completed.
struct ProgressLines: Sendable {
  /// The topics that it needs.
  static let topics: [Topic] = [.initializer, .pass]

  /// What was last told of an initializer.
  private struct Told: Equatable {
    var run: Int?
    var status: Word<InitializerStatus>
  }

  private var told: [String: Told] = [:]

  /// - Parameter status: what has happened before, which isn't told.
  init(_ status: StatusShape) {
    for each in status.initializers { told[each.name] = Told(run: each.run, status: each.status) }
  }

  /// The lines of an event, each with its newline; empty if it is about something else.
  mutating func lines(_ event: EventParams) -> String {
    let moment = event.time.map { Phrases.moment($0) + " " } ?? ""
    switch event.body {
    case .initializer(let each):
      let now = Told(run: each.run, status: each.status)
      guard told.updateValue(now, forKey: each.name) != now, let line = line(each, at: event.time ?? 0) else {
        return ""
      }
      return "\(moment)\(TerminalText.escape(line))\n"
    case .pass(let pass):
      let verb =
        pass.status == .started ? "started" : pass.status == .cancelled ? "was cancelled" : "is \(pass.status.phrase)"
      return "\(moment)\(pass.phase.phrase) pass \(pass.pass) \(pass.status == .failed ? "failed" : verb)\n"
    case .lagged(let dropped): return "\(moment)\(dropped) events were dropped: initctl read them too slowly\n"
    case .snapshot(let status):
      self = ProgressLines(status)
      return ""
    case .state, .initializerRemoved, .worker, .process, .log, .shutdown, .unknown: return ""
    }
  }

  private func line(_ each: InitializerShape, at now: Double) -> String? {
    let after = each.duration.map { " after \(Phrases.duration($0))" } ?? ""
    let verb: String
    switch each.status {
    case .known(.running): verb = "started"
    case .known(.complete): verb = "is complete" + after
    case .known(.failed): verb = "failed" + after
    case .known(.waiting) where each.nextAttempt != nil: verb = "failed" + after
    case .known(.cancelled): verb = "was cancelled" + after
    case .known(.idle), .known(.waiting), .known(.stopping), .known(.notRun), .unknown: return nil
    }
    let detail = each.detail(at: now)
    return "\(each.name) \(verb)" + (detail.isEmpty ? "" : ": \(detail)")
  }
}
