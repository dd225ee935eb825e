public import InitWire

/// The recorded truth of one pass: when it could begin, when it ended, and the turn of each initializer.
public struct Timeline: Sendable, Equatable {
  /// The pass.
  public let pass: PassShape
  /// The time up to which unfinished parts count; for an ended pass its end.
  public let now: Double
  /// What each initializer did, in the order in which their first attempts started.
  public let turns: [Turn]

  /// The timeline of a pass.
  ///
  /// - Parameter now: the present; used if the pass is in flight.
  public init(_ pass: PassShape, now: Double) {
    self.pass = pass
    self.now = pass.duration.map { pass.started + $0 } ?? now
    let opened = min(pass.opened ?? self.now, self.now)
    var runs: [String: [RunShape]] = [:]
    var names: [String] = []
    for run in pass.runs.sorted(by: { ($0.started, $0.run) < ($1.started, $1.run) }) {
      if runs[run.initializer] == nil { names.append(run.initializer) }
      runs[run.initializer, default: []].append(run)
    }
    let end = self.now
    turns = names.map { Turn(runs[$0] ?? [], opened: opened, now: end) }
  }

  /// When the pass could begin, in seconds since the Unix epoch; the end of a pass that never could.
  public var opened: Double { min(pass.opened ?? now, now) }
  /// How long the pass waited before it could begin, in seconds.
  public var held: Double { opened - pass.started }
  /// From its opening to its end, or to the present, in seconds.
  public var duration: Double { now - opened }

  /// How the pass ended, or that it is running.
  public var outcome: InitializerStatus {
    switch pass.outcome?.known {
    case .complete: .complete
    case .failed: .failed
    case .cancelled: .cancelled
    case nil: .running
    }
  }
}

extension PassSummaryShape {
  /// Where the time of a pass went.
  public init(_ timeline: Timeline) {
    self.init(
      pass: timeline.pass.pass, phase: timeline.pass.phase.known ?? .launch, outcome: timeline.outcome,
      started: timeline.pass.started, held: timeline.held, duration: timeline.duration,
      initializers: timeline.turns.map(InitializerSummaryShape.init))
  }
}
