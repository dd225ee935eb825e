internal import InitTimeline
internal import InitWire

/// Events as lines for people and `grep`: `MOMENT TOPIC what happened`.
enum EventLine {
  /// The lines of an event, without newlines. A snapshot has one for the states, and one for each initializer and worker.
  static func lines(_ event: EventParams) -> [String] {
    let moment = event.time.map { Phrases.moment($0) + " " } ?? ""
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
    case .initializer(let initializer): return [moment + line(initializer, at: event.time ?? 0)]
    case .initializerRemoved(let initializer):
      return [moment + "initializer \(TerminalText.escape(initializer.name)) removed"]
    case .pass(let pass): return [moment + "pass \(pass.pass) \(pass.phase.phrase) \(pass.status.phrase)"]
    case .worker(let worker):
      return [moment + "worker \(worker.connected ? "connected" : "disconnected") \(worker.worker.phrase)"]
    case .process(let process):
      return [moment + "process " + process.phrase(at: event.time ?? 0, of: event.time ?? 0)]
    case .log(let log): return [Phrases.moment(log.time) + " log " + LogLine.line(log)]
    case .lagged(let dropped): return [moment + "lagged \(dropped) events were dropped"]
    case .snapshot(let status): return snapshot(status)
    case .shutdown: return [moment + "shutdown"]
    case .unknown(let topic): return [moment + TerminalText.escape(topic)]
    }
  }

  private static func snapshot(_ status: StatusShape) -> [String] {
    let plain = Style(hasColor: false)
    let moment = Phrases.moment(status.time) + " "
    let states =
      "snapshot lifecycle \(status.lifecycle.phrase), launch \(status.launch.phrase(plain)), "
      + "active \(status.active.phrase(plain)), composite \(status.composite.state.phrase)"
    return [moment + states] + status.initializers.map { moment + line($0, at: status.time) }
      + status.workers.map { moment + "worker connected \($0.phrase)" }
      + (status.processes ?? []).map { moment + "process " + $0.phrase(at: status.time, of: status.time) }
  }

  private static func line(_ initializer: InitializerShape, at now: Double) -> String {
    var line = "initializer \(TerminalText.escape(initializer.name)) \(initializer.status.phrase)"
    switch initializer.status {
    case .known(.complete), .known(.failed), .known(.cancelled):
      line += initializer.duration.map { " in \(Phrases.duration($0))" } ?? ""
    case .known(.idle), .known(.waiting), .known(.running), .known(.stopping), .known(.notRun), .unknown: break
    }
    let detail = TerminalText.escape(initializer.detail(at: now))
    return detail.isEmpty ? line : "\(line): \(detail)"
  }
}
