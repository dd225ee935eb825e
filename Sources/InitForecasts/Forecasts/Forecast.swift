internal import InitCore
internal import InitModel
internal import InitText
package import InitTimeline
internal import InitWords

/// A prediction of how a pass would have gone if something had been different.
package struct Forecast: Sendable {
  /// The predicted pass.
  ///
  /// Its times begin at 0.
  package let timeline: Timeline
  /// Whether a start is predicted that completes, although the recorded pass failed or was cancelled.
  package let isStart: Bool
  /// Whether nothing is different and the pass completed, so every run takes its recorded duration.
  package let isMeasured: Bool
  /// If a start is predicted: the initializers that take as long as usual, because they didn't run to completion.
  package let usual: [String]
  /// The initializers of a start whose duration isn't known.
  ///
  /// Each of these counts as long as it ran, so the prediction is a lower bound.
  package let unknown: [String]
  /// The initializers that wait for something outside: each ends at the moment at which it did in the pass.
  package let moments: [String]
  /// The initializers whose CPU time isn't known, if they take a notable part of the pass: they count as waiting.
  package let uncounted: [String]
  /// Why even a start wouldn't complete, for example because of a circular dependency.
  package let failure: String?
  /// How many cores the runs use on average; `nil` if their CPU time, or the number of cores, isn't known.
  package let coresUsed: Double?

  /// The minimum part of the pass for which an unknown CPU time matters.
  private static let leastUncounted = 0.1

  init(
    _ input: SimulationInput, _ timeline: Timeline, isStart: Bool, isMeasured: Bool, failure: Failure?, cpu: Double
  ) {
    self.timeline = timeline
    self.isStart = isStart
    self.isMeasured = isMeasured
    self.failure = failure?.description
    usual = input.usual
    unknown = input.unknown
    moments = input.moments.sorted()
    let least = max(Self.leastUncounted * timeline.duration, .leastNonzeroMagnitude)
    uncounted = timeline.initializers.filter { $0.running >= least }.map(\.name).filter(input.uncounted.contains)
    coresUsed = timeline.pass.cores.flatMap { cores in
      cpu > 0 && timeline.duration > 0 ? min(cores, cpu / timeline.duration) : nil
    }
  }
}
