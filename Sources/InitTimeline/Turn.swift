public import InitWire

/// What an initializer did in one pass: its attempts, and where the time went. All times are seconds since the Unix epoch.
public struct Turn: Sendable, Equatable {
  /// Its name.
  public let name: String
  /// Its runs, in the order in which they started. A run that was cancelled while its pass continued is one of them.
  public let runs: [RunShape]
  /// When the pass could begin.
  public let opened: Double
  /// The time up to which an unfinished part counts.
  public let now: Double

  /// What the initializer of some runs did.
  ///
  /// - Parameters:
  ///   - runs: all its runs in one pass, in the order in which they started; at least one.
  ///   - opened: when the pass could begin.
  ///   - now: the time up to which an unfinished part counts.
  public init(_ runs: [RunShape], opened: Double, now: Double) {
    (self.name, self.runs, self.opened, self.now) = (runs.first?.initializer ?? "", runs, opened, now)
  }

  /// When its last dependency in this pass had completed, or the pass could begin.
  public var ready: Double { max(runs.first?.ready ?? opened, opened) }
  /// When its first attempt started.
  public var started: Double { runs.first?.started ?? now }
  /// When its last run ended, or `now`.
  public var ended: Double { runs.last.map(end) ?? now }

  /// From the opening of the pass to the completion of its last dependency.
  public var waited: Double { ready - opened }
  /// From then to the start of its first attempt.
  public var queued: Double { max(0, started - ready) }
  /// All its attempts together.
  public var running: Double { runs.reduce(0) { $0 + (end(of: $1) - $1.started) } }
  /// All pauses between its attempts together.
  public var backoff: Double { zip(runs, runs.dropFirst()).reduce(0) { $0 + max(0, $1.1.started - end(of: $1.0)) } }
  /// From the opening of the pass to its own end.
  public var finished: Double { waited + queued + running + backoff }

  /// How it ended, or that it runs.
  public var outcome: InitializerStatus {
    switch runs.last?.outcome?.known {
    case .complete: .complete
    case .failed: .failed
    case .cancelled: .cancelled
    case nil: .running
    }
  }

  /// When a run ended, or `now`.
  public func end(of run: RunShape) -> Double { run.duration.map { run.started + $0 } ?? max(now, run.started) }
}

extension InitializerSummaryShape {
  /// Where the time of an initializer went.
  public init(_ turn: Turn) {
    self.init(
      name: turn.name, outcome: turn.outcome, attempts: turn.runs.count, waited: turn.waited, queued: turn.queued,
      running: turn.running, backoff: turn.backoff, finished: turn.finished)
  }
}
