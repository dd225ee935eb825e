import InitModel
import InitWire
import InitWords

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

/// A pass on a machine with few cores, played in small steps: an independent source of recorded passes.
///
/// A run alternates between short turns of computing and of waiting. All that compute at one moment get equal parts of the cores. If two or
/// more cores are busy, computing needs a tenth more CPU time.
struct SharedMachine {
  /// An initializer, and its dependencies.
  struct Job {
    var name: String
    var needs: [String] = []
    /// CPU time if nothing else computes, and time in which it waits, in seconds.
    var computing: Double
    var waiting: Double
    /// How many threads compute at the same time, each for the computing time.
    var threads = 1
    /// CPU time that its process uses after the job, if it is the start of a kept process.
    var afterwards = 0.0
  }

  var jobs: [Job]
  var concurrency = 1
  var cores = 2.0
  var seed: UInt64 = 1
  var costOfCompany = 0.1
  /// How long a turn is on average, in seconds.
  private let turn = 0.004

  /// The turns of a run that are left: seconds of computing and of waiting, by turns.
  private struct InFlight {
    var turns: ArraySlice<(computing: Double, waiting: Double)>
    var computing: Double
    /// When its present waiting ends; `nil` while it computes.
    var waitsUntil: Double?
    let threads: Int
    let started: Double
    var cpu = 0.0
  }

  init(_ jobs: [Job], concurrency: Int = 1, cores: Double = 2, seed: UInt64 = 1) {
    self.jobs = jobs
    self.concurrency = concurrency
    self.cores = cores
    self.seed = seed
  }

  /// The recorded pass, from 0 on.
  func play() -> Timeline {
    var generator = Seeded(state: seed)
    var now = 0.0
    var inFlight = [String: InFlight]()
    var ends = [String: Double]()
    var left = jobs
    var runs: [Pass.Run] = []
    var freed: [String: (by: String, at: Double)] = [:]
    var last: (by: String, at: Double)?
    // What kept processes still compute, and have computed, outside of their starts.
    var afterwards: [Double] = []
    var processes = 0.0
    while !left.isEmpty || !inFlight.isEmpty {
      while inFlight.count < concurrency,
        let next = left.firstIndex(where: { $0.needs.allSatisfy { ends[$0] != nil } })
      {
        let job = left.remove(at: next)
        freed[job.name] = last
        inFlight[job.name] = InFlight(
          turns: turns(of: job, &generator)[...], computing: 0, waitsUntil: now, threads: job.threads, started: now)
      }
      let busy = inFlight.filter { $0.value.waitsUntil == nil }
      let threads = busy.values.reduce(afterwards.count) { $0 + $1.threads }
      let share = min(1, cores / Double(max(1, threads)))
      let cost = threads > 1 ? 1 + costOfCompany : 1
      let computed = (busy.values.map(\.computing) + afterwards).map { $0 * cost / share }.min() ?? .infinity
      let waited = inFlight.values.compactMap(\.waitsUntil).min().map { $0 - now } ?? .infinity
      let step = min(computed, waited)
      now += step
      for name in busy.keys {
        inFlight[name]?.computing -= step * share / cost
        inFlight[name]?.cpu += step * share * Double(busy[name]?.threads ?? 1)
      }
      processes += step * share * Double(afterwards.count)
      afterwards = afterwards.map { $0 - step * share / cost }.filter { $0 > 1e-12 }
      for (name, each) in inFlight where each.waitsUntil.map({ $0 <= now + 1e-12 }) ?? (each.computing <= 1e-12) {
        advance(&inFlight, name, now)
        guard inFlight[name] == nil, let job = jobs.first(where: { $0.name == name }) else { continue }
        let ready = job.needs.reduce(0) { max($0, ends[$1] ?? 0) }
        ends[name] = now
        last = (name, now)
        if job.afterwards > 0 { afterwards.append(job.afterwards) }
        runs.append(
          Pass.Run(
            run: 0, initializer: name, attempt: 1, ready: ready, freedBy: freed[name]?.by, freed: freed[name]?.at,
            started: each.started, duration: now - each.started,
            cpu: each.cpu, outcome: .complete, waitedFor: job.needs))
      }
    }
    runs.sort { ($0.started, $0.initializer) < ($1.started, $1.initializer) }
    for index in runs.indices { runs[index].run = index + 1 }
    var pass = Pass(
      pass: 1, phase: .launch, started: 0, opened: 0, duration: now, outcome: .complete, concurrency: concurrency,
      cores: cores, busy: runs.reduce(processes) { $0 + ($1.cpu ?? 0) }, runs: runs)
    pass.processes = processes
    return Timeline(pass, now: now)
  }

  /// The jobs in the order of registration.
  var initializers: [Initializer] {
    jobs.map {
      Initializer(
        name: $0.name, priority: .appLaunch, dependencies: $0.needs, provider: .command, available: true,
        status: .complete)
    }
  }

  /// A waiting has ended, or a computing: the next turn follows, or the end.
  private func advance(_ inFlight: inout [String: InFlight], _ name: String, _ now: Double) {
    guard var run = inFlight[name] else { return }
    if run.waitsUntil == nil, let turn = run.turns.popFirst() {
      run.waitsUntil = now + turn.waiting
      inFlight[name] = run
    } else if let turn = run.turns.first {
      run.computing = turn.computing
      run.waitsUntil = nil
      inFlight[name] = run
    } else {
      inFlight[name] = nil
    }
  }

  private func turns(
    of job: Job, _ generator: inout Seeded
  ) -> [(computing: Double, waiting: Double)] {
    let count = max(1, Int(job.computing / turn))
    let parts = (0..<count).map { _ in
      (Double.random(in: 0.1...2, using: &generator), Double.random(in: 0.1...2, using: &generator))
    }
    let (computing, waiting) = parts.reduce((0.0, 0.0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    return parts.map { ($0.0 / computing * job.computing, $0.1 / waiting * job.waiting) }
  }

  /// Steps of an application as they are known: most compute more than they wait, some only wait; each depends on up to two earlier ones.
  static func random(_ seed: UInt64, size: Int = 19, computingPart: ClosedRange<Double> = 0.75...0.97) -> SharedMachine
  {
    var generator = Seeded(state: seed)
    let jobs = (0..<size).map { number in
      let alone = Double.random(in: 0.15...0.6, using: &generator)
      let part =
        Int.random(in: 0..<6, using: &generator) == 0 ? 0.02 : Double.random(in: computingPart, using: &generator)
      let candidates = (0..<number).map { "n\($0)" }.shuffled(using: &generator)
      return Job(
        name: "n\(number)", needs: Array(candidates.prefix(Int.random(in: 0...2, using: &generator))),
        computing: alone * part, waiting: alone * (1 - part))
    }
    return SharedMachine(jobs, seed: seed)
  }
}
