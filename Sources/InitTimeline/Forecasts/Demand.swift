/// The needs of a run: cores to compute with, and time to wait for something else.
///
/// Durations are in seconds.
struct Demand: Sendable, Equatable {
  /// The computing time of the run if it shares its cores with nothing.
  var computing: Double
  /// The waiting time of the run.
  var waiting: Double
  /// The number of cores that the run uses at once while it computes.
  var threads = 1
  /// The part of its duration in company that neither computing nor waiting explains, if its computing took infinitely longer.
  var drag = 0.0

  /// Returns the number of cores that a run used at once, if its CPU time exceeds its duration.
  ///
  /// A small excess counts as an inaccurate measurement.
  static func threads(cpu: Double, in duration: Double) -> Int {
    duration > 0 ? max(1, Int((min(cpu / duration, 1e6) - 0.05).rounded(.up))) : 1
  }

  /// The duration of the run if it shares its cores with nothing.
  var alone: Double { computing + waiting }

  /// Returns the part of the run's time in which it computes.
  ///
  /// `stretch` is the factor by which the computing takes longer.
  func busyPart(_ stretch: Double) -> Double {
    let computing = computing * stretch
    return computing > 0 ? computing / (computing + waiting) : 0
  }

  /// Returns the factor by which the whole run takes longer.
  ///
  /// `stretch` is the factor by which the computing takes longer.
  func slowdown(_ stretch: Double) -> Double {
    alone > 0 ? (computing * stretch + waiting) / alone / explained(stretch) : 1
  }

  /// Returns the part of the run's duration that computing and waiting explain.
  func explained(_ stretch: Double) -> Double { 1 - drag * (1 - 1 / max(1, stretch)) }
}
