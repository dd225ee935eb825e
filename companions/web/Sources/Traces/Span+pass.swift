public import Passes

extension Span {
  /// The maximum number of links of a span: as many as an SDK of OpenTelemetry has.
  static let linkLimit = 128

  /// Returns the spans of a pass: one for the pass, and a child for each run.
  ///
  /// A run has the trace and the number that its command or worker got. Nothing is returned for a trace that isn't to be recorded.
  public static func spans(of pass: EndedPass) -> [Span] {
    var numbers = StableNumbers("\(pass.instance) \(pass.number)")
    let rootID = numbers.next()
    let parent = SpanContext(pass.traceparent)
    let contexts = pass.runs.map { SpanContext($0.traceparent) }
    guard parent?.isSampled != false, contexts.allSatisfy({ $0?.isSampled != false }) else { return [] }
    let trace =
      parent?.trace ?? contexts.lazy.compactMap { $0?.trace }.first
      ?? TraceID(high: numbers.next(), low: numbers.next())

    var root = Span(
      instance: pass.instance, trace: trace, id: rootID, parent: parent?.span, hasRemoteParent: parent != nil,
      name: "\(pass.phase.rawValue) pass", started: nanoseconds(pass.started), ended: nanoseconds(pass.ended),
      attributes: [
        Attribute(name: "initd.phase", value: .text(pass.phase.rawValue)),
        Attribute(name: "initd.pass", value: .number(pass.number)),
        Attribute(name: "initd.outcome", value: .text(pass.outcome.rawValue)),
      ])
    if let concurrency = pass.concurrency {
      root.attributes.append(Attribute(name: "initd.concurrency", value: .number(concurrency)))
    }
    if let opened = pass.opened, opened > pass.started {
      root.attributes.append(Attribute(name: "initd.held_seconds", value: .seconds(opened - pass.started)))
      root.events.append(Event(name: "opened", time: nanoseconds(opened)))
    }
    if pass.outcome == .failed {
      root.error = pass.failure?.message ?? ""
      if let initializer = pass.failure?.initializer {
        root.attributes.append(Attribute(name: "initd.failed_by", value: .text(initializer)))
      }
    }

    let ids = contexts.map { $0?.span ?? numbers.next() }
    // The last run of each initializer that completed, for which others waited.
    let completed = Dictionary(
      zip(pass.runs, ids).filter { $0.0.outcome == .complete }.map { ($0.0.initializer, $0.1) },
      uniquingKeysWith: { _, last in last })
    return [root] + zip(pass.runs, ids).map { Span($0, of: pass, trace: trace, id: $1, root: rootID, completed) }
  }

  private init(
    _ run: EndedRun, of pass: EndedPass, trace: TraceID, id: UInt64, root: UInt64, _ completed: [String: UInt64]
  ) {
    self.init(
      instance: pass.instance, trace: trace, id: id, parent: root, name: run.initializer,
      started: Self.nanoseconds(run.started), ended: Self.nanoseconds(run.ended),
      attributes: [
        Attribute(name: "initd.initializer", value: .text(run.initializer)),
        Attribute(name: "initd.phase", value: .text(pass.phase.rawValue)),
        Attribute(name: "initd.pass", value: .number(pass.number)),
        Attribute(name: "initd.run", value: .number(run.number)),
        Attribute(name: "initd.attempt", value: .number(run.attempt)),
        Attribute(name: "initd.outcome", value: .text(run.outcome.rawValue)),
      ])
    if let queued = run.queued { attributes.append(Attribute(name: "initd.queued_seconds", value: .seconds(queued))) }
    if let cpu = run.cpu { attributes.append(Attribute(name: "initd.cpu_seconds", value: .seconds(cpu))) }
    let waited = run.waitedFor.compactMap { completed[$0] }
    links = Array(waited.prefix(Self.linkLimit))
    droppedLinks = waited.count - links.count
    if run.outcome == .failed { error = run.error ?? "" }
  }

  /// Converts seconds since the Unix epoch; a supervisor's numbers may be any.
  static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64((min(max(seconds, 0), 1e10) * 1e9).rounded()) }
}
