/// A histogram of durations in seconds.
struct Histogram: Sendable, Equatable {
  /// The upper bounds of the buckets: from a command that does nothing to a migration of ten minutes.
  static let bounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

  /// The number of durations in each bucket that aren't in an earlier bucket; the last bucket has no bound.
  private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// The sum of the durations.
  private(set) var sum = 0.0

  /// Adds a duration.
  mutating func add(_ seconds: Double) {
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }
}
