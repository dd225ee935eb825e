internal import InitModel
package import InitTimeline
internal import InitWords

/// The effect of more places, if the critical path of a pass waited for them.
package struct PlacesAdvice: Sendable, Equatable {
  /// The effect of more places.
  package enum Finding: Sendable, Equatable {
    /// This concurrency helps almost as much as any other; `predicted` is the duration in seconds.
    case better(concurrency: Int, predicted: Double)
    /// More places don't help, because the runs use up the cores.
    case boundByCores(CoresUsed)
    /// More places don't help.
    case useless
    /// There are too many initializers to simulate this each time.
    case untried
  }

  /// How many initializers could run at once in the pass.
  package let concurrency: Int
  /// The part of the pass, in percent, in which initializers of its path were ready and waited for a place.
  package let percent: Int
  /// The effect of more places.
  package let finding: Finding
}

/// How many cores were used on average while a pass ran.
package struct CoresUsed: Sendable, Equatable {
  /// The cores used by the pass's runs.
  package let byRuns: Double
  /// The cores used by kept processes outside of their starts.
  package var byProcesses = 0.0
  /// The cores used by other programs.
  package let byOthers: Double
  /// The number of initializers.
  package let cores: Double

  /// Whether hardly any core was idle, and not only because of processes and other programs: runs that hardly compute don't need a core.
  package var isAll: Bool { byRuns >= cores / 4 && byRuns + byProcesses + byOthers >= 0.85 * cores }
}

extension Forecaster {
  /// The minimum part of the pass for which a wait for places is reported.
  private static let leastPart = 0.1
  /// A change helps if it saves at least this part of the duration.
  private static let leastGain = 0.05
  /// With more initializers, the forecasts would take seconds.
  private static let mostInitializers = 5000

  /// Returns the effect of more places; `nil` if the path hardly waited for places, or the pass hasn't completed.
  package mutating func advice(on path: CriticalPath) -> PlacesAdvice? {
    let duration = timeline.duration
    guard let concurrency = timeline.pass.concurrency, timeline.outcome == .complete, duration > 0,
      path.waitedForPlace >= Self.leastPart * duration
    else { return nil }
    let percent = Int((min(1, path.waitedForPlace / duration) * 100).rounded())
    return PlacesAdvice(concurrency: concurrency, percent: percent, finding: tryMorePlaces(than: concurrency))
  }

  private mutating func tryMorePlaces(than concurrency: Int) -> PlacesAdvice.Finding {
    let count = timeline.initializers.count
    guard count <= Self.mostInitializers else { return .untried }
    var found: PlacesAdvice.Finding?
    var places = concurrency
    var before = timeline.duration
    while places < count {
      places = min(2 * places, count)
      let predicted = duration(with: places, WhatIf())
      guard before - predicted >= Self.leastGain * timeline.duration else { break }
      found = .better(concurrency: places, predicted: predicted)
      before = predicted
    }
    if let found { return found }
    if let used = coresUsed(in: forecast(WhatIf())), used.isAll { return .boundByCores(used) }
    return .useless
  }

  private mutating func duration(with places: Int, _ whatIf: WhatIf) -> Double {
    var more = whatIf
    more.concurrency = places
    return forecast(more).timeline.duration
  }

  /// Returns the number of used cores in a forecast, if more places wouldn't help because no core is free; `nil` otherwise, and if the
  /// cores aren't known.
  package mutating func boundByCores(_ forecast: Forecast, _ whatIf: WhatIf) -> CoresUsed? {
    guard let used = coresUsed(in: forecast), used.isAll, timeline.initializers.count <= Self.mostInitializers else {
      return nil
    }
    let places = whatIf.concurrency ?? timeline.pass.concurrency ?? 1
    let predicted = duration(with: 2 * places, whatIf)
    return forecast.timeline.duration - predicted < Self.leastGain * forecast.timeline.duration ? used : nil
  }

  /// How many cores the runs of a forecast use, beside kept processes, which do the same work as in the recorded pass, and as many cores as
  /// other programs used then.
  private func coresUsed(in forecast: Forecast) -> CoresUsed? {
    guard let cores = timeline.pass.cores, let used = forecast.coresUsed else { return nil }
    let byProcesses = min(workload.processes / forecast.timeline.duration, cores - used)
    return CoresUsed(
      byRuns: used, byProcesses: byProcesses, byOthers: min(workload.others, cores - used - byProcesses), cores: cores)
  }
}
