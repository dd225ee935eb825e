internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire

/// Events as lines for people and `grep`: `MOMENT EVENT`.
enum EventLine {
  /// Returns the lines of an event, without newlines.
  ///
  /// A snapshot has one line for the states, and one for each initializer and worker.
  ///
  /// `now` is the current time, in seconds since the Unix epoch, for events without a time.
  static func lines(_ event: Status.Event, at now: Double) -> [String] {
    let now = event.time ?? now
    let moment = Phrases.moment(now) + " "
    let plain = Style(hasColor: false)
    switch event.body {
    case .state(let state):
      let parts = state.changed.map { topic in
        switch topic {
        case .known(.launch): "launch \(state.launch.phrase(plain))"
        case .known(.active): "active \(state.active.phrase(plain))"
        case .known(.composite): "composite \(state.composite.state.phrase)"
        case .known(.lifecycle): "lifecycle \(state.lifecycle.phrase)"
        case .known(.initializer), .known(.pass), .known(.worker), .known(.log), .unknown: topic.phrase
        }
      }
      return [moment + "state " + parts.joined(separator: ", ")]
    case .initializer(let initializer): return [moment + initializer.news(at: now)]
    case .initializerRemoved(let initializer): return [moment + TerminalText.escape(initializer.name) + " was removed"]
    case .pass(let pass): return [moment + pass.sentence]
    case .worker(let worker):
      return [moment + "worker \(worker.connected ? "connected" : "disconnected") \(worker.worker.phrase)"]
    case .process(let process):
      return [moment + "process " + process.phrase(at: now, of: now)]
    case .processRemoved(let process): return [moment + "process \(TerminalText.escape(process.name)) was removed"]
    case .log(let log): return [Phrases.moment(log.time) + " log " + line(log)]
    case .lagged(let dropped): return [moment + Status.Event.loss(of: dropped)]
    case .snapshot(let status): return snapshot(status)
    case .shutdown: return [moment + "shutdown: the supervisor ends"]
    case .unknown(let topic): return [moment + TerminalText.escape(topic)]
    }
  }

  private static func snapshot(_ status: Status) -> [String] {
    let plain = Style(hasColor: false)
    let moment = Phrases.moment(status.time) + " "
    let states =
      "snapshot lifecycle \(status.lifecycle.phrase), launch \(status.launch.phrase(plain)), "
      + "active \(status.active.phrase(plain)), composite \(status.composite.state.phrase)"
    return [moment + states] + status.initializers.map { moment + $0.sentence(at: status.time) }
      + status.workers.map { moment + "worker connected \($0.phrase)" }
      + (status.processes ?? []).map { moment + "process " + $0.phrase(at: status.time, of: status.time) }
  }

  /// Returns a line that a command wrote: `NAME | LINE`, escaped.
  private static func line(_ log: LogLine) -> String {
    "\(TerminalText.escape(log.initializer)) | \(TerminalText.output(log.line))"
  }
}
