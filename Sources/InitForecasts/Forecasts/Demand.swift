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
  /// How much longer the computing takes in company than equal parts of the cores explain, as a part of it.
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
    alone > 0 ? (computing * dragged(stretch) + waiting) / alone : 1
  }

  /// Returns the factor by which the computing takes longer, with the drag: it grows with the company.
  func dragged(_ stretch: Double) -> Double { stretch * (1 + drag * Self.company(stretch)) }

  /// Returns how much others want the same cores, from 0 to 1.
  static func company(_ stretch: Double) -> Double { 1 - 1 / max(1, stretch) }
}
