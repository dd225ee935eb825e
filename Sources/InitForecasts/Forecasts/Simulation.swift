internal import InitCore
internal import InitHistory
internal import InitText
internal import InitTimeline
internal import InitWords

/// Executes a pass again on the machine, in simulated time: each step is at the next instant at which something happens.
struct Simulation {
  private var machine: Machine
  private var history = History(passLimit: 2, runLimit: .max)
  private var runs: [String: ArraySlice<SimulationInput.Run>]
  /// The remaining events of workers and users, the next event last.
  private var events: [(at: Instant, event: Event)]
  /// The runs in flight: when they end, and how they go.
  private var ends = IndexedHeap<RunID, Instant>()
  private var inFlight: [RunID: SimulationInput.Run] = [:]
  /// The runs in flight that compute.
  private var computing: ComputingRuns?
  private var now = Instant.zero
  /// The passes that have ended.
  private var ended: [History.PassRecord] = []
  private let passes: Int
  /// The CPU time of all runs that have started, in seconds.
  private(set) var cpu: Double = 0

  /// Creates a machine with the initializers of the input.
  ///
  /// `groups` is the maximum number of concurrent runs of each group. `sharing` says how the cores are shared; `nil` if every run takes its
  /// duration. `patience` is how long the pass waits for a worker that never comes, in seconds; `nil` for no limit. `passes` says how
  /// many passes are executed: launch, and perhaps an active one.
  init(
    _ input: SimulationInput, concurrency: Int, groups: [String: Int], sharing: CoreSharing?, patience: Double?,
    passes: Int
  ) {
    let ever = Duration.seconds(1e9)
    var configuration = Machine.Configuration(
      concurrency: concurrency, registrationTimeout: patience.map { .seconds(max(0, $0)) } ?? ever, cancelGrace: ever,
      acceptsWorkers: true)
    configuration.groups = groups
    machine = Machine(configuration, declared: input.declared)
    runs = input.runs.mapValues { $0[...] }
    events = input.events.reversed()
    computing = sharing.map(ComputingRuns.init)
    self.passes = passes
  }

  /// Executes the passes.
  ///
  /// Runs the simulation, and returns the passes that end.
  mutating func run() -> [History.PassRecord] {
    while let next = events.last, next.at <= .zero, next.event.isRegistration {
      events.removeLast()
      apply(next.event)
    }
    apply(.started)
    while ended.count < passes, let next = nextInstant() {
      now = max(now, next)
      if let (end, run) = ends.first, end <= now {
        ends[run] = nil
        computing?.remove(run)
        apply(.runFinished(run: run, inFlight.removeValue(forKey: run)?.result ?? .success))
      } else if let next = events.last, next.at <= now {
        events.removeLast()
        apply(next.event)
      } else {
        apply(.timePassed)
      }
    }
    return ended
  }

  private mutating func nextInstant() -> Instant? {
    for (run, end) in computing?.ends(at: now) ?? [] { ends[run] = end }
    return [ends.first?.value, events.last?.at, machine.nextDeadline].compactMap(\.self).min()
  }

  private mutating func apply(_ event: Event) {
    // A worker's action may be impossible if something is different: then it doesn't happen.
    for effect in (try? machine.apply(event, at: now)) ?? [] {
      switch effect {
      case .startRun(let start): begin(start.run, runs[start.initializer]?.popFirst())
      case .cancelRun(let run, _):
        // The time that a run needs to stop is known only if it was also told to stop in the recorded pass.
        guard inFlight[run]?.wasCancelled != true else { break }
        computing?.remove(run)
        ends[run] = now
      case .publish(let notice): if let pass = history.record(notice, at: now) { ended.append(pass) }
      case .killRun, .checkCondition, .reuseOutput, .finish, .startStop, .cancelStop, .giveUpStop, .finishStops: break
      }
    }
  }

  private mutating func begin(_ id: RunID, _ run: SimulationInput.Run?) {
    inFlight[id] = run
    cpu += run?.cpu ?? 0
    if let demand = run?.demand, computing != nil {
      computing?.start(id, demand, at: now)
    } else {
      ends[id] = max(now + (run?.duration ?? .zero), run?.moment ?? .zero)
    }
  }
}

extension Event {
  /// Whether the event is a worker's registration, which precedes the start.
  fileprivate var isRegistration: Bool { if case .workerRegistered = self { true } else { false } }
}
