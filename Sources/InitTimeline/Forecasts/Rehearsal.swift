internal import InitCore

/// Executes a casting on the machine, in simulated time: each step is at the next instant at which something happens.
struct Rehearsal {
  private var machine: Machine
  private var history = History(passLimit: 1, runLimit: .max)
  private var parts: [String: ArraySlice<Casting.Part>]
  /// The pending events of workers, the next one last.
  private var workers: [(at: Instant, event: Event)]
  /// The runs in flight: when they end, and how they go.
  private var ends = IndexedHeap<RunID, Instant>()
  private var inFlight: [RunID: Casting.Part] = [:]
  private var now = Instant.zero
  private var pass: History.PassRecord?

  ///
  /// `patience` says how long the pass waits for a worker that never comes, in seconds; `nil` if it waits indefinitely.
  init(_ casting: Casting, concurrency: Int, patience: Double?) {
    let ever = Duration.seconds(1e9)
    machine = Machine(
      Machine.Configuration(
        concurrency: concurrency, registrationTimeout: patience.map { .seconds(max(0, $0)) } ?? ever, cancelGrace: ever,
        acceptsWorkers: true),
      declared: casting.declared)
    parts = casting.parts.mapValues { $0[...] }
    workers = casting.workers.reversed()
  }

  /// Executes the pass.
  ///
  /// Returns `nil` if it never ends.
  mutating func run() -> History.PassRecord? {
    while let next = workers.last, next.at <= .zero {
      workers.removeLast()
      apply(next.event)
    }
    apply(.started)
    while pass == nil, let next = nextInstant {
      now = max(now, next)
      if let (end, run) = ends.first, end <= now {
        ends[run] = nil
        apply(.runFinished(run: run, inFlight.removeValue(forKey: run)?.result ?? .success))
      } else if let next = workers.last, next.at <= now {
        workers.removeLast()
        apply(next.event)
      } else {
        apply(.timePassed)
      }
    }
    return pass
  }

  private var nextInstant: Instant? {
    [ends.first?.value, workers.last?.at, machine.nextDeadline].compactMap(\.self).min()
  }

  private mutating func apply(_ event: Event) {
    // A worker's action may be impossible if something is different: then it doesn't happen.
    for effect in (try? machine.apply(event, at: now)) ?? [] {
      switch effect {
      case .startRun(let start):
        let part = parts[start.initializer]?.popFirst()
        inFlight[start.run] = part
        ends[start.run] = now + (part?.duration ?? .zero)
      case .cancelRun(let run, _):
        // The time that it needed to stop is known only if it was told to stop in the recorded pass too.
        if inFlight[run]?.wasCancelled != true { ends[run] = now }
      case .publish(let notice): if let ended = history.note(notice, at: now) { pass = pass ?? ended }
      case .killRun, .finish, .startStop, .cancelStop, .giveUpStop, .finishStops: break
      }
    }
  }
}
