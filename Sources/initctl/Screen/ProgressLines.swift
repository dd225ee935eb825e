internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

/// A line for each event that something has started, failed or completed.
struct ProgressLines: Sendable {
  /// The topics that the lines need.
  static let topics: [Topic] = [.initializer, .pass, .worker]

  /// The last line about an initializer.
  private struct Told: Equatable {
    var run: Int?
    var status: Word<InitializerStatus>
  }

  private var told: [String: Told] = [:]

  /// - Parameter status: the Status before the first event; its contents aren't printed.
  init(_ status: Status) {
    for each in status.initializers { told[each.name] = Told(run: each.run, status: each.status) }
  }

  /// Returns the lines of an event, each with its newline; empty if it is about something else.
  mutating func lines(_ event: Status.Event) -> String {
    let moment = event.time.map { Phrases.moment($0) + " " } ?? ""
    switch event.body {
    case .initializer(let each):
      let now = Told(run: each.run, status: each.status)
      guard told.updateValue(now, forKey: each.name) != now, Self.isTold(each) else { return "" }
      return "\(moment)\(each.news(at: event.time ?? 0))\n"
    case .pass(let pass): return "\(moment)\(pass.sentence)\n"
    case .lagged(let dropped): return "\(moment)\(Status.Event.loss(of: dropped))\n"
    case .snapshot(let status):
      self = ProgressLines(status)
      return ""
    case .process(let process):
      // It has failed, and is started again or was given up.
      guard process.pid == nil, process.stoppedBy == nil, process.nextStart != nil || process.givenUp else { return "" }
      return "\(moment)process \(process.phrase(at: event.time ?? 0, of: event.time ?? 0))\n"
    case .state, .initializerRemoved, .worker, .processRemoved, .log, .shutdown, .unknown: return ""
    }
  }

  /// Returns whether the initializer has started, failed or ended.
  private static func isTold(_ each: Initializer) -> Bool {
    switch each.status {
    case .known(.running), .known(.complete), .known(.failed), .known(.cancelled), .known(.skipped): true
    case .known(.waiting): each.isBetweenAttempts
    case .known(.idle), .known(.stopping), .known(.notRun), .unknown: false
    }
  }
}
