package import InitJSON
internal import InitModel
package import InitTimeline
internal import InitWords

/// A pass in Chrome's format for trace events, which Perfetto opens: a track for each initializer, with slices that don't overlap.
///
/// Times are microseconds since the pass started.
package struct Trace: Sendable, Equatable {
  /// The events: first the names of the tracks, then the slices of each track.
  package private(set) var events: [TraceEvent] = []

  package init() {}

  /// Creates the trace of a pass.
  package init(_ timeline: Timeline) {
    let pass = timeline.pass
    let name = "pass \(pass.pass) (\(pass.phase.rawValue))"
    events.append(.name("process_name", pass: pass.pass, track: 0, TraceArguments(name: name)))
    let outcome = pass.duration == nil ? "running" : timeline.outcome.rawValue
    let held = timeline.held > 0 ? ", held for \(PlotScale.words(timeline.held))" : ""
    let labels = "\(outcome), \(PlotScale.words(timeline.duration))\(held)"
    events.append(.name("process_labels", pass: pass.pass, track: 0, TraceArguments(labels: labels)))
    for (index, turn) in timeline.initializers.enumerated() {
      let track = index + 1
      events.append(.name("thread_name", pass: pass.pass, track: track, TraceArguments(name: turn.name)))
      events.append(.name("thread_sort_index", pass: pass.pass, track: track, TraceArguments(sortIndex: track)))
    }
    for (index, turn) in timeline.initializers.enumerated() {
      var track = Track(pass: pass.pass, number: index + 1, origin: pass.started, end: turn.opened)
      track.add(turn)
      events += track.slices
    }
  }
}

/// The slices of one initializer.
private struct Track {
  let pass: Int
  let number: Int
  let origin: Double
  /// The end of the last slice, in microseconds: the next slice begins there at the earliest.
  private var last: Int
  private(set) var slices: [TraceEvent] = []

  init(pass: Int, number: Int, origin: Double, end: Double) {
    self.pass = pass
    self.number = number
    self.origin = origin
    last = Int(((end - origin) * 1e6).rounded())
  }

  mutating func add(_ turn: InitializerTimeline) {
    let first = turn.runs.first
    append("waiting", until: turn.ready, TraceArguments(waitedFor: first?.waitedFor))
    append("queued", until: turn.started, TraceArguments(freedBy: first?.freedBy))
    for run in turn.runs {
      append("backoff", until: run.started, TraceArguments(attempt: run.attempt))
      var arguments = TraceArguments(waitedFor: run.waitedFor, freedBy: run.freedBy)
      arguments.run = run.run
      arguments.attempt = run.attempt
      arguments.attempts = run.attempts
      arguments.outcome = run.outcome?.rawValue ?? "running"
      arguments.cause = run.cause?.description
      append("running", until: turn.end(of: run), arguments, isKept: true)
    }
    append("backoff", until: turn.ended, TraceArguments(attempt: turn.runs.last.map { $0.attempt + 1 }))
  }

  /// `isKept` is true if a slice without a duration is kept.
  private mutating func append(_ name: String, until time: Double, _ arguments: TraceArguments, isKept: Bool = false) {
    let end = max(last, Int(((time - origin) * 1e6).rounded()))
    guard end > last || isKept else { return }
    slices.append(
      TraceEvent(
        name: name, phase: "X", time: last, duration: end - last, process: pass, track: number, arguments: arguments))
    last = end
  }
}

/// An event of a trace.
package struct TraceEvent: Sendable, Equatable {
  /// The name of the event, for example `running`, or the name that it assigns.
  package private(set) var name = ""
  /// `X` for a slice, `M` for a name.
  package private(set) var phase = ""
  /// When the slice begins, in microseconds.
  package private(set) var time: Int?
  /// The duration of the slice, in microseconds.
  package private(set) var duration: Int?
  /// The pass.
  package private(set) var process = 0
  /// The initializer's track, from 1.
  package private(set) var track = 0
  /// Details.
  package private(set) var arguments = TraceArguments()

  package init() {}

  fileprivate init(
    name: String, phase: String, time: Int?, duration: Int?, process: Int, track: Int, arguments: TraceArguments
  ) {
    self.name = name
    self.phase = phase
    self.time = time
    self.duration = duration
    self.process = process
    self.track = track
    self.arguments = arguments
  }

  fileprivate static func name(_ name: String, pass: Int, track: Int, _ arguments: TraceArguments) -> TraceEvent {
    TraceEvent(
      name: name, phase: "M", time: nil, duration: nil, process: pass, track: track, arguments: arguments)
  }
}

/// The details of an event of a trace.
package struct TraceArguments: Sendable, Equatable {
  var name: String?
  var labels: String?
  var sortIndex: Int?
  var run: Int?
  var attempt: Int?
  var attempts: Int?
  var outcome: String?
  var cause: String?
  var waitedFor: [String]?
  var freedBy: String?

  package init() {}

  fileprivate init(name: String? = nil, labels: String? = nil, sortIndex: Int? = nil) {
    self.name = name
    self.labels = labels
    self.sortIndex = sortIndex
  }

  fileprivate init(attempt: Int?) { self.attempt = attempt }

  fileprivate init(waitedFor: [String]? = nil, freedBy: String? = nil) {
    self.waitedFor = waitedFor
    self.freedBy = freedBy
  }
}

extension Trace: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("traceEvents", &events)
  }
}

extension TraceEvent: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("ph", &phase)
    try json.optional("ts", &time)
    try json.optional("dur", &duration)
    try json.required("pid", &process)
    try json.required("tid", &track)
    try json.required("args", &arguments)
  }
}

extension TraceArguments: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("name", &name)
    try json.optional("labels", &labels)
    try json.optional("sort_index", &sortIndex)
    try json.optional("run", &run)
    try json.optional("attempt", &attempt)
    try json.optional("attempts", &attempts)
    try json.optional("outcome", &outcome)
    try json.optional("cause", &cause)
    try json.optional("waitedFor", &waitedFor)
    try json.optional("freedBy", &freedBy)
  }
}
