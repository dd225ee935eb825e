/// What a run needs: cores to compute with, and time in which it waits for something else.
///
/// Durations are in seconds.
struct Demand: Sendable, Equatable {
  /// How long it computes if it shares its cores with nobody.
  var computing: Double
  /// How long it waits.
  var waiting: Double
  /// How many cores it uses at once while it computes.
  var threads = 1

  /// How many cores a run used at once whose CPU time is more than its duration.
  ///
  /// A little more is taken for an inexact measurement.
  static func threads(cpu: Double, in duration: Double) -> Int {
    duration > 0 ? max(1, Int((min(cpu / duration, 1e6) - 0.05).rounded(.up))) : 1
  }

  /// How long it takes if it shares its cores with nobody.
  var alone: Double { computing + waiting }

  /// The part of its time in which it computes.
  ///
  /// `stretch` is by how much its computing takes longer.
  func busyPart(_ stretch: Double) -> Double {
    let computing = computing * stretch
    return computing > 0 ? computing / (computing + waiting) : 0
  }

  /// By how much the whole run takes longer.
  ///
  /// `stretch` is by how much its computing takes longer.
  func slowdown(_ stretch: Double) -> Double {
    alone > 0 ? (computing * stretch + waiting) / alone : 1
  }
}
