/// Decides how runs that compute share the cores: all runs that compute at the same time get equal parts, as an operating system's
/// scheduler does it.
///
/// A run computes and waits in turns that are short, so only the probability is known that it computes at one moment. The probabilities of
/// all runs in flight give the probability of each number of threads that want a core. That gives the computing time of each run, which
/// changes its probability again.
struct CoreSharing: Sendable, Equatable {
  /// The effect of other programs and runs on the computing of a run.
  struct Load: Sendable, Equatable {
    /// The factor by which the computing takes longer.
    var stretch = 1.0
    /// The factor by which the CPU time grows.
    var cost = 1.0
  }

  /// How much more CPU time a computation needs while others compute: cores share caches, memory, and often more.
  ///
  /// This cost is a tenth with the steps of a Django application that `Benchmarks/forecast` measures, and less for programs with little
  /// data.
  static let costOfCompany = 0.1
  /// With more runs in flight than this, the mean number of threads replaces its distribution.
  private static let mostExact = 32
  private static let mostSteps = 40

  /// The number of cores.
  let cores: Double
  /// The number of cores that the runs get when they need all of them: other programs use the rest, for example a database that works for
  /// the runs.
  let free: Double
  /// How many threads of other programs want a core at any moment.
  var rivals = 0.0

  /// Returns whether runs may have to share cores at some time.
  func isShared(by demands: [Demand]) -> Bool {
    var threads = rivals
    for demand in demands where demand.computing > 0 {
      threads += Double(demand.threads)
      if threads > min(cores, 1) { return true }
    }
    return false
  }

  /// Returns the load on each of the runs in flight.
  ///
  /// `estimate` is the load of the runs before one of them started or ended. Starting from it finds the result sooner.
  func loads(_ demands: [Demand], from estimate: [Load]? = nil) -> [Load] {
    let none = [Load](repeating: Load(), count: demands.count)
    guard isShared(by: demands) else { return none }
    var loads = estimate ?? none
    for _ in 0..<Self.mostSteps where improve(&loads, demands) < 1e-4 { break }
    return loads
  }

  /// Calculates the loads from the probabilities that follow from an estimate of them.
  ///
  /// Returns the largest relative change.
  func improve(_ loads: inout [Load], _ demands: [Demand]) -> Double {
    let busy = zip(loads, demands).map { $1.busyPart($0.stretch) }
    let next = demands.count > Self.mostExact ? onAverage(loads, busy, demands) : exactly(busy, demands)
    let change = zip(loads, next).reduce(0) { max($0, abs($1.1.stretch / $1.0.stretch - 1)) }
    loads = next
    return change
  }

  /// Returns the load if this many threads of the runs want a core.
  ///
  /// Other processes work for a run while it waits, so as many of them as there are cores don't reduce the cores of the runs.
  private func load(_ threads: Double) -> Load {
    let wanted = threads + rivals
    let cost = 1 + Self.costOfCompany * min(max(0, wanted - 1), 1)
    return Load(stretch: cost * max(1, wanted / (threads <= cores ? cores : free)), cost: cost)
  }

  private func exactly(_ busy: [Double], _ demands: [Demand]) -> [Load] {
    var distribution = [1.0]
    for (part, demand) in zip(busy, demands) where part > 0 { distribution.add(demand.threads, with: part) }
    let loads = distribution.indices.map { load(Double($0)) }
    return zip(busy, demands).map { part, demand in
      guard part > 0 else { return Load() }
      var mean = Load(stretch: 0, cost: 0)
      for (others, probability) in distribution.removing(demand.threads, with: part).enumerated() {
        let load = loads[others + demand.threads]
        mean.stretch += probability * load.stretch
        mean.cost += probability * load.cost
      }
      return mean
    }
  }

  /// Returns the same load for all runs, by the mean number of threads.
  private func onAverage(_ loads: [Load], _ busy: [Double], _ demands: [Demand]) -> [Load] {
    let wanted = zip(busy, demands).reduce(0) { $0 + $1.0 * Double($1.1.threads) }
    let next = load(wanted)
    // Half of the way, because the number of threads changes with the load.
    return loads.map { Load(stretch: ($0.stretch + next.stretch) / 2, cost: ($0.cost + next.cost) / 2) }
  }
}

/// The probabilities of numbers of busy threads, from 0 on.
extension [Double] {
  /// Adds threads that are busy together, with a probability.
  fileprivate mutating func add(_ threads: Int, with probability: Double) {
    append(contentsOf: repeatElement(0, count: threads))
    for count in indices.reversed() {
      self[count] = self[count] * (1 - probability) + (count >= threads ? self[count - threads] * probability : 0)
    }
  }

  /// Returns the probabilities without threads that were added.
  fileprivate func removing(_ threads: Int, with probability: Double) -> [Double] {
    var rest = [Double](repeating: 0, count: count - threads)
    // Starts from the side on which rounding errors don't grow.
    if probability < 0.5 {
      for index in rest.indices {
        let busy = index >= threads ? rest[index - threads] * probability : 0
        rest[index] = (self[index] - busy) / (1 - probability)
      }
    } else {
      for index in rest.indices.reversed() {
        let idle = index + threads < rest.count ? rest[index + threads] * (1 - probability) : 0
        rest[index] = (self[index + threads] - idle) / probability
      }
    }
    return rest
  }
}
