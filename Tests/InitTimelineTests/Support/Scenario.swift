import InitCore
import InitModel
import InitText
import InitWire
import InitWords

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

/// A pass with known durations, executed by the machine in simulated time: an independent source of recorded passes.
struct Scenario {
  /// An initializer and its runs.
  struct Role {
    var name: String
    var needs: [String] = []
    /// How long each attempt takes, in seconds; all but the last fail.
    var attempts: [Double] = [1]
    /// Whether the last attempt also fails.
    var fails = false
    var isOptional = false
    /// When its worker registers it, in seconds; `nil` for a command.
    var registered: Double?
    var priority = Priority.appLaunch
  }

  var roles: [Role]
  var concurrency = 1
  /// The delay before the second attempt of each.
  var delay = 0.5
  /// Whether delays grow, and have jitter.
  var hasJitter = true
  /// When the pass is stopped to look at it, in seconds; `nil` for its end.
  var until: Double?
  /// Other events, in the order of time.
  var events: [(at: Double, event: Event)] = []
  var registrationTimeout = 10.0
  /// Which pass is recorded, from 1.
  var pass: PassID = 1
  /// The recorded time of instant zero.
  let epoch = 1000.0

  /// The recorded pass, and the Status when it was recorded.
  func play() -> (pass: Pass, status: Status, timeline: Timeline) {
    let (passes, status) = record()
    let recorded = passes.first { $0.pass == pass.rawValue } ?? passes[0]
    return (recorded, status, Timeline(recorded, status: status))
  }

  /// Launch and the active pass, as one, and the Status when they were recorded.
  func playBoth() -> (status: Status, timeline: Timeline) {
    let (passes, status) = record()
    guard let launch = passes.first(where: { $0.phase == .launch }),
      let active = passes.first(where: { $0.phase == .active })
    else { preconditionFailure("a pass is missing: give it an activation, and pass: 2") }
    return (status, Timeline(joining: launch, active, status: status))
  }

  private func record() -> (passes: [Pass], status: Status) {
    var machine = Machine(
      .init(
        concurrency: concurrency, registrationTimeout: .seconds(registrationTimeout), acceptsWorkers: true, seed: 7),
      declared: roles.map { role in
        let retry = RetryPolicy(
          attempts: role.attempts.count, delay: .seconds(delay), factor: hasJitter ? 2 : 1,
          maxDelay: hasJitter ? .seconds(30) : .seconds(delay))
        return (
          Declaration(
            role.name, priority: role.priority, dependencies: role.needs, retry: retry, isOptional: role.isOptional),
          role.registered == nil ? .command : .worker
        )
      })
    var history = History(passLimit: 32, runLimit: .max)
    var queue: [(at: Instant, order: Int, event: Event)] = []
    var order = 0
    func add(_ at: Instant, _ event: Event) {
      order += 1
      queue.append((at, order, event))
    }
    add(.zero, .started)
    for (number, role) in roles.enumerated() {
      guard let registered = role.registered else { continue }
      add(.seconds(registered), .workerRegistered(WorkerID(number), process: nil, [Registration(role.name)]))
    }
    for each in events { add(.seconds(each.at), each.event) }
    let byName = Dictionary(uniqueKeysWithValues: roles.map { ($0.name, $0) })
    let end = until.map { Duration.seconds($0) } ?? .seconds(1_000_000)
    var now = Instant.zero
    while history.passes(last: 99).allSatisfy({ $0.id != pass }) {
      let event = queue.min { ($0.at, $0.order) < ($1.at, $1.order) }
      guard let next = [event?.at, machine.nextDeadline].compactMap(\.self).min(), next <= end else {
        now = end
        break
      }
      now = max(now, next)
      var happened = Event.timePassed
      if let event, event.at <= next {
        queue.removeAll { $0.order == event.order }
        happened = event.event
      }
      for effect in (try? machine.apply(happened, at: now)) ?? [] {
        switch effect {
        case .publish(let notice): history.record(notice, at: now)
        case .startRun(let start):
          let role = byName[start.initializer]
          let attempts = role?.attempts ?? [1]
          let isLast = start.attempt >= attempts.count
          let succeeds = isLast && role?.fails != true
          let duration = Duration.seconds(attempts[min(start.attempt, attempts.count) - 1])
          add(now + duration, .runFinished(run: start.run, succeeds ? .success : .failure(.exit(status: 1))))
        case .cancelRun(let run, _):
          // Needs 100 ms to stop.
          queue.removeAll { if case .runFinished(run, _) = $0.event { true } else { false } }
          add(now + .milliseconds(100), .runFinished(run: run, .success))
        default: break
        }
      }
    }
    return record(history, machine, now)
  }

  private func record(
    _ history: History, _ machine: Machine, _ now: Instant
  ) -> (passes: [Pass], status: Status) {
    let passes = history.passes(last: 99) + history.passesInFlight()
    let initializers = machine.initializers.map { each in
      Initializer(
        name: each.declaration.name, priority: each.declaration.priority, dependencies: each.declaration.dependencies,
        provider: each.provider, available: each.isAvailable, status: each.status,
        isOptional: each.declaration.isOptional,
        pass: each.run?.pass.rawValue)
    }
    let pending = Status.State(.pending)
    let status = Status(
      seq: 0, time: seconds(now), instance: "", pid: 1, uptime: 0, lifecycle: .active, launch: pending, active: pending,
      composite: pending, holds: 0, concurrency: concurrency, initializers: initializers, workers: [])
    return (passes.map { shape($0, machine, now) }, status)
  }

  private func seconds(_ instant: Instant) -> Double { epoch + instant.inSeconds }

  private func shape(_ recorded: History.PassRecord, _ machine: Machine, _ now: Instant) -> Pass {
    let running = recorded.ended == nil ? machine.runsInFlight(ofPass: recorded.id, at: now) : []
    var error: InitializationError?
    if case .failed(let failure) = recorded.outcome {
      error = InitializationError(
        initializer: failure.initializer, reason: .duplicateInitializer, message: "\(failure)")
    }
    let outcome: OutcomeName? =
      switch recorded.outcome {
      case .started: nil
      case .complete: .complete
      case .failed: .failed
      case .cancelled: .cancelled
      }
    return Pass(
      pass: recorded.id.rawValue, phase: recorded.phase, started: seconds(recorded.started),
      opened: recorded.opened.map(seconds), duration: recorded.ended.map { ($0 - recorded.started).inSeconds },
      outcome: outcome, error: error, concurrency: concurrency,
      runs: (recorded.runs + running).map { Pass.Run($0, seconds: seconds) })
  }

  /// A random graph without failures: retries, late workers, and dependencies on earlier initializers, declared in a random order.
  static func random(_ generator: inout some RandomNumberGenerator, size: Int) -> Scenario {
    var roles = (0..<size).map { number in
      let attempts = (0..<[1, 1, 1, 2, 3].randomElement(using: &generator)!).map { _ in
        Double(Int.random(in: 0...2000, using: &generator)) / 1000
      }
      let candidates = (0..<number).map { "n\($0)" }.shuffled(using: &generator)
      return Role(
        name: "n\(number)", needs: Array(candidates.prefix(Int.random(in: 0...3, using: &generator))),
        attempts: attempts,
        registered: Int.random(in: 0..<6, using: &generator) == 0 ? Double.random(in: 0...5, using: &generator) : nil)
    }
    roles.shuffle(using: &generator)
    return Scenario(
      roles: roles, concurrency: Int.random(in: 1...5, using: &generator),
      delay: Double(Int.random(in: 0...900, using: &generator)) / 1000, registrationTimeout: 1000)
  }
}

/// A generator that a seed decides.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var mixed = state ^ (state >> 33)
    mixed = mixed &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ (mixed >> 33)
  }
}
