/// Decides whether a pass took longer than comparable passes usually do.
///
/// A pass is slower if its duration exceeds the largest of three limits: the median plus a fraction of it, the median plus 50 ms, and the
/// upper quartile plus three times the interquartile range. So the more the durations vary, the higher the limit is.
public struct SlowPassRule: Sendable, Equatable {
  /// The least number of passes to compare with: from fewer, nothing can be concluded about their spread.
  public static let minimum = 8
  /// The least increase that counts, in seconds.
  public static let floor = 0.05
  /// How many interquartile ranges a duration may be above the upper quartile.
  static let fence = 3.0

  /// The increase that is tolerated, as a fraction of the median.
  public var fraction: Double

  /// Creates the rule.
  public init(fraction: Double) { self.fraction = fraction }

  /// Compares a pass with earlier passes; nil if there are too few of them.
  public func verdict(on pass: PassMeasure, comparedWith earlier: [PassMeasure]) -> SlowPassVerdict? {
    guard earlier.count >= Self.minimum else { return nil }
    let durations = earlier.map(\.duration).sorted()
    let (lower, median, upper) = (durations.quantile(0.25), durations.quantile(0.5), durations.quantile(0.75))
    let bounds: [(SlowPassVerdict.Bound, Double)] = [
      (.fraction, median * (1 + fraction)), (.floor, median + Self.floor),
      (.spread, upper + Self.fence * (upper - lower)),
    ]
    let (bound, limit) = bounds.reduce(bounds[0]) { $1.1 > $0.1 ? $1 : $0 }
    return SlowPassVerdict(
      duration: pass.duration, passes: earlier.count, median: median, lowerQuartile: lower, upperQuartile: upper,
      limit: limit, bound: bound, increases: Self.increases(of: pass, to: pass.duration - median, since: earlier))
  }

  /// Returns the initializers that took longer than usual, by at least a tenth of the pass's increase: first those on the critical path,
  /// the largest increase first.
  private static func increases(
    of pass: PassMeasure, to total: Double, since earlier: [PassMeasure]
  ) -> [SlowPassVerdict.Increase] {
    var before: [String: [PassMeasure.Part]] = [:]
    for part in earlier.flatMap(\.parts) { before[part.initializer, default: []].append(part) }
    let increases = pass.parts.flatMap { part -> [SlowPassVerdict.Increase] in
      let known = before[part.initializer] ?? []
      // Off the critical path, waiting for a place doesn't lengthen the pass.
      return SlowPassVerdict.Kind.allCases.filter { $0 != .queued || part.isOnCriticalPath }.map { kind in
        SlowPassVerdict.Increase(
          initializer: part.initializer, kind: kind, median: known.map { $0[kind] }.sorted().quantile(0.5),
          duration: part[kind], isOnCriticalPath: part.isOnCriticalPath)
      }
    }
    return increases.filter { $0.increase > 0 && $0.increase >= total / 10 }.sorted {
      ($0.isOnCriticalPath ? 0 : 1, -$0.increase, $0.initializer) < (
        $1.isOnCriticalPath ? 0 : 1, -$1.increase, $1.initializer
      )
    }
  }
}

/// Whether a pass was slower than usual, and which initializers caused it.
public struct SlowPassVerdict: Sendable, Equatable {
  /// Names the limit that was the largest.
  public enum Bound: String, Sendable, Encodable {
    /// The tolerated fraction of the median.
    case fraction
    /// The least increase that counts.
    case floor
    /// The durations of earlier passes differ so much.
    case spread
  }

  /// A part of an initializer's duration.
  public enum Kind: String, Sendable, Encodable, CaseIterable {
    /// Its attempts.
    case running
    /// The wait for a place or a worker.
    case queued
    /// The pauses between the attempts.
    case backoff
  }

  /// An initializer that took longer than usual.
  public struct Increase: Sendable, Equatable, Encodable {
    /// The initializer.
    public let initializer: String
    /// The part of the duration that increased.
    public let kind: Kind
    /// The usual duration of this part, in seconds: the median.
    public let median: Double
    /// The duration of this part in the pass, in seconds.
    public let duration: Double
    /// Whether the initializer is on the critical path of the pass.
    public let isOnCriticalPath: Bool

    /// The increase over the median, in seconds.
    public var increase: Double { duration - median }
  }

  /// The duration of the pass, in seconds.
  public let duration: Double
  /// The number of passes with which it was compared.
  public let passes: Int
  /// The median of the passes' durations.
  public let median: Double
  /// The lower quartile of the durations.
  public let lowerQuartile: Double
  /// The upper quartile of the durations.
  public let upperQuartile: Double
  /// The duration above which a pass is slower.
  public let limit: Double
  /// The limit that was the largest.
  public let bound: Bound
  /// The parts that took longer than usual: first the parts on the critical path, the largest increase first.
  public let increases: [Increase]

  /// Whether the pass was slower.
  public var isSlower: Bool { duration > limit }
}

extension PassMeasure.Part {
  fileprivate subscript(kind: SlowPassVerdict.Kind) -> Double {
    switch kind {
    case .running: running
    case .queued: queued
    case .backoff: backoff
    }
  }
}

extension [Double] {
  /// A quantile of sorted values, interpolated between two of them; 0 if there are none.
  func quantile(_ fraction: Double) -> Double {
    guard let last = indices.last else { return 0 }
    let position = fraction * Double(last)
    let index = Int(position)
    guard index < last else { return self[last] }
    return self[index] + (position - Double(index)) * (self[index + 1] - self[index])
  }
}
