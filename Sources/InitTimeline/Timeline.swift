package import InitWire
package import InitWords

/// The recorded truth of one pass: when it could begin, when it ended, and what each initializer did.
package struct Timeline: Sendable, Equatable {
  /// The pass.
  package let pass: PassShape
  /// The time up to which unfinished parts count; for an ended pass its end.
  package let now: Double
  /// What each initializer did, in the order in which their first attempts started.
  ///
  /// Then come those that still wait, and the one that failed the pass without a start, e.g. because its worker never registered.
  package let initializers: [InitializerTimeline]
  /// The initializers that belong to the pass and haven't started, if a Status shows them.
  let unstarted: [Unstarted]

  /// Creates the timeline of a pass.
  ///
  /// - Parameters:
  ///   - now: the present; used if the pass is in flight.
  ///   - status: a Status shortly before, if there is one: it shows which initializers haven't started.
  package init(_ pass: PassShape, now: Double, status: StatusShape? = nil) {
    let end = pass.duration.map { pass.started + $0 } ?? now
    let opened = min(pass.opened ?? end, end)
    var runs: [String: [RunShape]] = [:]
    var names: [String] = []
    for run in pass.runs.sorted(by: { ($0.started, $0.run) < ($1.started, $1.run) }) {
      if runs[run.initializer] == nil { names.append(run.initializer) }
      runs[run.initializer, default: []].append(run)
    }
    let isInFlight = pass.duration == nil
    let started = names.map { name in
      let own = runs[name] ?? []
      return InitializerTimeline(
        own, opened: opened, now: end, isRetrying: isInFlight && own.last?.leavesAttempts == true)
    }
    let unstarted = status.map { Unstarted.all(of: pass, started, opened: opened, in: $0) } ?? []
    let others = unstarted.filter { isInFlight ? $0.status == .waiting : $0.name == pass.error?.initializer }
    (self.pass, self.now, self.unstarted) = (pass, end, unstarted)
    self.initializers =
      started
      + others.map {
        InitializerTimeline(waiting: $0.name, opened: opened, ready: $0.ready, now: end, hasFailed: !isInFlight)
      }
  }

  /// Returns a copy in which some initializers haven't started.
  func adding(unstarted: [Unstarted]) -> Timeline {
    Timeline(pass: pass, now: now, initializers: initializers, unstarted: self.unstarted + unstarted)
  }

  private init(pass: PassShape, now: Double, initializers: [InitializerTimeline], unstarted: [Unstarted]) {
    (self.pass, self.now, self.initializers, self.unstarted) = (pass, now, initializers, unstarted)
  }

  /// Creates the timeline of a pass, at the latest time that is known.
  ///
  /// - Parameter status: a Status shortly before the pass was fetched.
  package init(_ pass: PassShape, status: StatusShape) {
    let latest = pass.runs.reduce(max(status.time, pass.started)) { max($0, $1.started + ($1.duration ?? 0)) }
    self.init(pass, now: latest, status: status)
  }

  /// When the pass could begin, in seconds since the Unix epoch; the end of a pass that never could.
  package var opened: Double { min(pass.opened ?? now, now) }
  /// How long the pass waited before it could begin, in seconds.
  package var held: Double { opened - pass.started }
  /// From its opening to its end, or to the present, in seconds.
  package var duration: Double { now - opened }

  /// The explanation of a pass in flight that couldn't begin so far; nil for any other pass.
  package var delay: String? {
    guard pass.duration == nil, pass.opened == nil else { return nil }
    let cause = pass.phase == .active ? " for launch" : ""
    return "has waited \(Phrases.duration(held))\(cause), and has not opened yet"
  }

  /// How the pass ended, or that it is running.
  package var outcome: InitializerStatus {
    switch pass.outcome?.known {
    case .complete: .complete
    case .failed: .failed
    case .cancelled: .cancelled
    case nil: .running
    }
  }
}

extension PassSummaryShape {
  /// Summarizes where the time of a pass went.
  package init(_ timeline: Timeline) {
    self.init(
      pass: timeline.pass.pass, phase: timeline.pass.phase.known ?? .launch, outcome: timeline.outcome,
      started: timeline.pass.started, held: timeline.held, duration: timeline.duration, cores: timeline.pass.cores,
      initializers: timeline.initializers.map(InitializerSummaryShape.init))
    interrupted = timeline.pass.interrupted
  }
}
      runs: timeline.pass.runs.count, failedBy: timeline.pass.error?.initializer,
