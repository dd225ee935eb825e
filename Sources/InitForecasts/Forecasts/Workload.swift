internal import InitModel
internal import InitTimeline
internal import InitWords

/// The needs of a recorded pass's runs, derived from their durations, their CPU time, and which of them ran at the same time.
///
/// A run's waiting time is the rest of its duration after its computing, which took longer while the run shared the cores. It is found
/// iteratively, starting without any waiting. So, if the cores were used up, a run is assumed to have waited for them rather than for
/// something else.
///
/// Computing and waiting are assumed to alternate in short turns. A program that first computes and then waits, for example because it
/// imports its libraries, takes longer beside others than these turns explain. Taken for waiting, that rest would be far too long for a
/// pass with fewer runs at once. So its computing may take longer in company (`drag`), the more of the pass a run takes: the phases of
/// short runs average out.
struct Workload: Sendable {
  /// A run that computes.
  fileprivate struct Run {
    let number: Int
    let started: Double
    let ended: Double
    let cpu: Double
    var demand: Demand
    /// The part of its duration that its computing would have taken at its average load, with as many threads as are known.
    ///
    /// If it exceeds 1, the run got more of the cores than that many threads would have got.
    var filled = 0.0

    var duration: Double { ended - started }
  }

  /// A part of the pass in which the same runs were in flight, and shared the cores.
  private struct Stretch {
    let duration: Double
    let members: [Int]
    var loads: [CoreSharing.Load]
  }

  /// The maximum number of members in all stretches together; beyond that, stretches are combined.
  private static let mostMembers = 200_000
  private static let mostSteps = 60
  /// Other programs' CPU time counts as work for the runs up to this fraction of the runs' own: it grows with the runs' use.
  private static let partDoneForRuns = 1.0 / 6
  /// How much more of the cores a run must have got than its known threads would have, if it had one thread more.
  ///
  /// Smaller differences are random.
  private static let leastExcess = 1.15
  /// The largest drag of a run that takes the whole pass: with that, passes of Apache Superset at concurrency 4 and 8 predict it at 1.
  private static let mostDrag = 0.5
  /// The kernel counts the busy time of a core in these units.
  private static let tick = 0.01

  /// The CPU time of all runs, in seconds.
  let cpu: Double
  /// The CPU time that kept processes used outside of their starts, in seconds.
  let processes: Double
  /// The cores that other programs used, as a number; the supervisor and its kept processes aren't among them.
  let others: Double
  /// The CPU time that the supervisor used for each run, in seconds.
  let supervisorPerRun: Double
  /// What the supervisor used of the cores.
  private let supervisor: Double
  private let cores: Double?
  private let duration: Double
  private var runs: [Run]

  /// Creates the workload of a pass.
  init(_ graph: ExecutedGraph, _ pass: Pass) {
    runs = graph.nodes.flatMap(\.runs).compactMap { run in
      guard let cpu = run.cpu, cpu > 0, let duration = run.duration, duration > 0 else { return nil }
      return Run(
        number: run.run, started: run.started, ended: run.started + duration, cpu: cpu,
        demand: Demand(cpu: cpu, threads: Demand.threads(cpu: cpu, in: duration)))
    }
    cpu = runs.reduce(0) { $0 + $1.cpu }
    duration = graph.now - graph.opened
    cores = pass.cores.flatMap { [duration] in $0 > 0 && duration > 0 ? $0 : nil }
    let supervisor = pass.supervisor ?? 0
    supervisorPerRun = supervisor / Double(max(1, pass.runs.count))
    self.supervisor = supervisor / max(duration, .leastNonzeroMagnitude)
    processes = pass.processes ?? 0
    let spare = (pass.busy ?? 0) - cpu - processes - supervisor - 2 * Self.tick * (cores ?? 0)
    others = cores.map { [duration] in min(max(0, spare / duration), $0) } ?? 0
  }

  /// The needs of the runs, and how they would share the cores if something were different.
  struct Needs: Sendable {
    /// The demands of the runs whose CPU time is known, by their numbers.
    let demands: [Int: Demand]
    /// Decides how the cores are shared; nil if their number isn't known.
    let sharing: CoreSharing?

    /// Returns whether the runs may have to share the cores with this concurrency: the runs that compute the most want more than half of
    /// the cores.
    func isCrowded(_ places: Int) -> Bool {
      guard let sharing else { return false }
      let parts = demands.values.map { $0.busyPart(1) * Double($0.threads) }.sorted(by: >)
      return parts.prefix(max(0, places)).reduce(0, +) > sharing.cores / 2
    }
  }

  /// Derives the needs of the runs.
  func needs() -> Needs {
    guard let cores, !runs.isEmpty else { return Needs(demands: [:], sharing: nil) }
    var copy = self
    // If the runs shared the cores, others took the missing ones, but never more than a part of them for long.
    let kept = processes / duration
    let reserved = CoreSharing(cores: cores, free: max(cores - others - kept - supervisor, cores / 4))
    if copy.conclude(reserved) > cores { return copy.needs(reserved) }
    // Otherwise, others may have used the idle cores. With more runs, a part of that use would have grown as well, e.g. that of a database
    // that works for the runs; the rest would have had to share the cores with them. Kept processes do the same work in any case.
    let used = cpu / duration
    let forRuns = min(others, used * Self.partDoneForRuns)
    let shared = CoreSharing(
      cores: cores, free: cores / (1 + (forRuns + kept + supervisor) / used), rivals: others - forRuns)
    copy = self
    _ = copy.conclude(shared)
    return copy.needs(shared)
  }

  private func needs(_ sharing: CoreSharing) -> Needs {
    Needs(demands: Dictionary(runs.map { ($0.number, $0.demand) }) { first, _ in first }, sharing: sharing)
  }

  /// Derives the needs of the runs, and their numbers of threads: a run that got more of the cores than its threads would have has more.
  ///
  /// Returns how many of their threads wanted a core on average while several ran at once; 0 if none did.
  private mutating func conclude(_ sharing: CoreSharing) -> Double {
    while true {
      let busy = conclude(threads: sharing)
      let larger = runs.indices.filter {
        runs[$0].filled > Self.leastExcess && Double(runs[$0].demand.threads) < sharing.cores
      }
      guard !larger.isEmpty else { return busy }
      for index in larger { runs[index].demand.threads += 1 }
    }
  }

  /// Derives the needs of the runs with these numbers of threads.
  private mutating func conclude(threads sharing: CoreSharing) -> Double {
    for index in runs.indices { runs[index].reset() }
    var (stretches, alone) = stretches(sharing)
    let span = (runs.map(\.ended).max() ?? 0) - (runs.map(\.started).min() ?? 0)
    for _ in 0..<Self.mostSteps {
      // The work that each run has done, as if alone, and its average load.
      var done = alone
      var mean = alone.map { CoreSharing.Load(stretch: $0, cost: $0) }
      for index in stretches.indices {
        let demands = stretches[index].members.map { runs[$0].demand }
        _ = sharing.improve(&stretches[index].loads, demands)
        for (member, load) in zip(stretches[index].members, stretches[index].loads) {
          let part = stretches[index].duration / runs[member].demand.slowdown(load.stretch)
          done[member] += part
          mean[member].stretch += part * load.stretch
          mean[member].cost += part * load.cost
        }
      }
      var change = 0.0
      for index in runs.indices where done[index] > 0 {
        let load = CoreSharing.Load(stretch: mean[index].stretch / done[index], cost: mean[index].cost / done[index])
        change = max(change, runs[index].approach(load, mostDrag: Self.mostDrag * runs[index].duration / span))
      }
      if change < 1e-3 { break }
    }
    return busyThreads(in: stretches)
  }

  private func busyThreads(in stretches: [Stretch]) -> Double {
    var busy = 0.0
    var duration = 0.0
    for stretch in stretches where stretch.members.count > 1 {
      duration += stretch.duration
      for (member, load) in zip(stretch.members, stretch.loads) {
        let demand = runs[member].demand
        busy += stretch.duration * demand.busyPart(load.stretch) * Double(demand.threads)
      }
    }
    return duration > 0 ? busy / duration : 0
  }

  /// Returns the parts of the pass in which runs shared the cores, and the time in which each run didn't.
  private func stretches(_ sharing: CoreSharing) -> (shared: [Stretch], alone: [Double]) {
    let ends = runs.flatMap { [$0.started, $0.ended] }.sorted()
    let order = runs.indices.sorted { runs[$0].started < runs[$1].started }
    let step = step(ends)
    var stretches: [Stretch] = []
    var alone = [Double](repeating: 0, count: runs.count)
    var members = [Int]()
    var next = 0
    for index in stride(from: 0, to: ends.count - 1, by: step) {
      let start = ends[index]
      let end = ends[min(index + step, ends.count - 1)]
      let middle = (start + end) / 2
      while next < order.count, runs[order[next]].started <= middle {
        members.append(order[next])
        next += 1
      }
      members.removeAll { runs[$0].ended <= middle }
      guard end > start, !members.isEmpty else { continue }
      if sharing.isShared(by: members.map { runs[$0].demand }) {
        stretches.append(
          Stretch(
            duration: end - start, members: members,
            loads: [CoreSharing.Load](repeating: CoreSharing.Load(), count: members.count)))
      } else {
        for member in members { alone[member] += end - start }
      }
    }
    return (stretches, alone)
  }

  /// How many successive parts of the pass are combined.
  private func step(_ ends: [Double]) -> Int {
    let starts = runs.map(\.started).sorted()
    let stops = runs.map(\.ended).sorted()
    // At each moment, as many runs are in flight as have started and not ended.
    var started = 0
    var ended = 0
    var members = 0
    for moment in ends {
      while started < starts.count, starts[started] <= moment { started += 1 }
      while ended < stops.count, stops[ended] <= moment { ended += 1 }
      members += started - ended
    }
    return members / Self.mostMembers + 1
  }
}

extension Demand {
  /// Creates the demand of a run that used that CPU time, and waited only for the cores.
  fileprivate init(cpu: Double, threads: Int) {
    self.init(computing: cpu / Double(threads), waiting: 0, threads: threads)
  }
}

extension Workload.Run {
  /// Assumes that the run waited only for the cores.
  mutating func reset() {
    demand = Demand(cpu: cpu, threads: demand.threads)
    filled = 0
  }

  /// Adjusts the needs of the run to its average load, with a drag of at most `mostDrag`.
  ///
  /// Returns the relative change.
  mutating func approach(_ load: CoreSharing.Load, mostDrag: Double) -> Double {
    let computing = cpu / Double(demand.threads) / load.cost
    filled = computing * load.stretch / duration
    let company = Demand.company(load.stretch)
    let waiting = max(0, duration - computing * load.stretch * (1 + mostDrag * company))
    let drag = company > 0 ? min(mostDrag, max(0, 1 / filled - 1) / company) : 0
    let change = abs(waiting - demand.waiting) / duration
    // Half of the way, because the load changes with it.
    demand.waiting = (demand.waiting + waiting) / 2
    if demand.waiting < duration * 1e-4 { demand.waiting = 0 }
    demand.drag = (demand.drag + drag) / 2
    // Together it always takes as long as recorded.
    demand.computing = min(computing, max(0, duration - demand.waiting) / demand.dragged(load.stretch))
    return change
  }
}
