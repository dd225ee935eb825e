package import InitModel
package import InitWords

/// The recorded data of one pass: when it could begin, when it ended, and what each initializer did.
///
/// It can also describe launch and the active pass that waited for it, as if they were one pass.
package struct Timeline: Sendable, Equatable {
  /// Launch and the active pass that waited for it.
  package struct Joint: Sendable, Equatable {
    package let launch: Pass
    package let active: Pass
  }

  /// The pass.
  ///
  /// If there are two, it is the active one, begins with launch, and has the runs of both.
  package let pass: Pass
  /// The two passes of which the timeline consists; `nil` for one pass.
  package let joint: Joint?
  /// The time until which unfinished parts count; for an ended pass, its end.
  package let now: Double
  /// The courses of all initializers, in the order in which their first attempts started.
  ///
  /// Then come the initializers that still wait, and the initializer that failed the pass without a start, e.g. because its worker never
  /// registered.
  package let initializers: [InitializerTimeline]
  /// The initializers that belong to the pass and haven't started, if a Status shows them.
  package let unstarted: [Unstarted]

  /// Creates the timeline of a pass.
  ///
  /// `now` is the current time; it is used if the pass is in flight. `status` is a Status shortly before, if there is one: it shows which
  /// initializers haven't started.
  package init(_ pass: Pass, now: Double, status: Status? = nil) {
    let end = pass.duration.map { pass.started + $0 } ?? now
    let part = PassInitializers(pass, nil, opened: min(pass.opened ?? end, end), now: end, status: status)
    self.init(pass: pass, joint: nil, now: end, [part])
  }

  /// Creates the timeline of launch and of the active pass that waited for it, as if they were one pass.
  ///
  /// `now` is the current time; it is used if the active pass is in flight. `status` is a Status shortly before, if there is one: it shows
  /// which initializers haven't started.
  package init(joining launch: Pass, _ active: Pass, now: Double, status: Status? = nil) {
    let end = active.duration.map { active.started + $0 } ?? now
    let opened = min(launch.opened ?? end, end)
    let parts = [(launch, Phase.launch), (active, .active)].map { pass, phase in
      PassInitializers(pass, phase, opened: opened, now: end, status: status)
    }
    // An unknown time of an active pass without runs counts as zero.
    func sum(_ member: (Pass) -> Double?) -> Double? {
      active.duration == nil ? nil : member(launch).map { $0 + (member(active) ?? 0) }
    }
    var pass = Pass(
      pass: active.pass, phase: .active, started: launch.started, opened: launch.opened,
      duration: active.duration.map { active.started + $0 - launch.started }, outcome: active.outcome?.known,
      error: active.error, concurrency: active.concurrency, cores: launch.cores, busy: sum(\.busy),
      supervisor: sum(\.supervisor),
      runs: launch.runs + active.runs)
    pass.processes = sum(\.processes)
    pass.interrupted = active.interrupted
    pass.groups = active.groups
    self.init(pass: pass, joint: Joint(launch: launch, active: active), now: end, parts)
  }

  /// The courses of the initializers in one pass.
  private struct PassInitializers {
    var initializers: [InitializerTimeline]
    let unstarted: [Unstarted]

    init(_ pass: Pass, _ phase: Phase?, opened: Double, now: Double, status: Status?) {
      var runs: [String: [Pass.Run]] = [:]
      var names: [String] = []
      for run in pass.runs.sorted(by: { ($0.started, $0.run) < ($1.started, $1.run) }) {
        if runs[run.initializer] == nil { names.append(run.initializer) }
        runs[run.initializer, default: []].append(run)
      }
      let isInFlight = pass.duration == nil
      let started = names.map { name in
        let own = runs[name] ?? []
        return InitializerTimeline(
          own, phase: phase, opened: opened, now: now, isRetrying: isInFlight && own.last?.leavesAttempts == true)
      }
      unstarted = status.map { Unstarted.all(of: pass, started, shownIn: phase, opened: opened, in: $0) } ?? []
      let others = unstarted.filter { isInFlight ? $0.status == .waiting : $0.name == pass.error?.initializer }
      initializers =
        started
        + others.map {
          InitializerTimeline(
            waiting: $0.name, phase: phase, opened: opened, ready: $0.ready, now: now, hasFailed: !isInFlight)
        }
    }
  }

  private init(pass: Pass, joint: Joint?, now: Double, _ parts: [PassInitializers]) {
    self.pass = pass
    self.joint = joint
    self.now = now
    initializers = parts.flatMap(\.initializers)
    unstarted = parts.flatMap(\.unstarted)
  }

  /// Returns a copy in which some initializers haven't started.
  package func adding(unstarted: [Unstarted]) -> Timeline {
    Timeline(self, unstarted: self.unstarted + unstarted)
  }

  private init(_ other: Timeline, unstarted: [Unstarted]) {
    pass = other.pass
    joint = other.joint
    now = other.now
    initializers = other.initializers
    self.unstarted = unstarted
  }

  /// When the active pass could begin, if launch and the active pass are shown together, and it could.
  package var boundary: Double? { joint.flatMap { $0.active.opened }.map { min($0, now) } }

  /// Creates the timeline of a pass, at the latest time that is known.
  ///
  /// `status` is a Status shortly before the pass was fetched.
  package init(_ pass: Pass, status: Status) {
    self.init(pass, now: Timeline.latest([pass], status), status: status)
  }

  /// Creates the timeline of launch and an active pass, at the latest known time.
  ///
  /// `status` is a Status shortly before the passes were fetched.
  package init(joining launch: Pass, _ active: Pass, status: Status) {
    self.init(joining: launch, active, now: Timeline.latest([launch, active], status), status: status)
  }

  private static func latest(_ passes: [Pass], _ status: Status) -> Double {
    passes.flatMap(\.runs).reduce(passes.reduce(status.time) { max($0, $1.started) }) {
      max($0, $1.started + ($1.duration ?? 0))
    }
  }

  /// When the pass could begin, in seconds since the Unix epoch; the end of a pass that never could.
  package var opened: Double { min(pass.opened ?? now, now) }
  /// How long the pass waited before it could begin, in seconds.
  package var held: Double { opened - pass.started }
  /// The time from the opening of the pass to its end, or to the current time, in seconds.
  package var duration: Double { now - opened }

  /// The average number of cores that the runs of the pass used; `nil` if their CPU time or the number of cores is unknown, and while the
  /// pass is in flight.
  package var coresUsed: Double? {
    let cpu = pass.runs.compactMap(\.cpu).reduce(0, +)
    guard let cores = pass.cores, cpu > 0, duration > 0, pass.duration != nil else { return nil }
    return min(cores, cpu / duration)
  }

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

extension Pass.Times {
  /// Summarizes where the time of a pass went.
  package init(_ timeline: Timeline) {
    self.init(
      pass: timeline.pass.pass, phase: timeline.pass.phase.known ?? .launch, outcome: timeline.outcome,
      started: timeline.pass.started, held: timeline.held, duration: timeline.duration, cores: timeline.pass.cores,
      runs: timeline.pass.runs.count, failedBy: timeline.pass.error?.initializer,
      initializers: timeline.initializers.map(Pass.InitializerTimes.init))
    interrupted = timeline.pass.interrupted
  }
}
