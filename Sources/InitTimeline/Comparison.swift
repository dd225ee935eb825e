package import InitWire

/// What got slower or faster from one pass to another.
package struct Comparison: Sendable, Equatable {
  /// How long an initializer ran, in both; `nil` where it didn't run.
  package struct Row: Sendable, Equatable {
    /// The initializer.
    package let name: String
    /// All its attempts together in the first pass, in seconds.
    package let before: Double?
    /// The same in the second pass.
    package let after: Double?

    /// The increase of the duration, in seconds.
    package var change: Double { (after ?? 0) - (before ?? 0) }
  }

  /// How long a pass and its initializers took.
  package struct Measure: Sendable, Equatable {
    let duration: Double
    let running: [(name: String, running: Double)]

    /// Takes the durations of one pass.
    package init(_ pass: PassSummaryShape) {
      duration = pass.duration
      running = pass.initializers.filter { $0.attempts > 0 }.map { ($0.name, $0.running) }
    }

    /// Takes the medians of several passes.
    package init(_ usual: UsualShape) {
      duration = usual.duration
      running = usual.initializers.map { ($0.name, $0.running) }
    }

    /// Whether the durations are the same.
    package static func == (left: Measure, right: Measure) -> Bool {
      left.duration == right.duration && left.running.elementsEqual(right.running) { $0 == $1 }
    }
  }

  /// The durations of the passes, from opening to end, in seconds.
  package let before: Double
  /// The same of the second pass.
  package let after: Double
  /// All initializers of either, the largest change first.
  package let rows: [Row]

  /// Compares two measures.
  package init(_ first: Measure, with second: Measure) {
    (before, after) = (first.duration, second.duration)
    let old = Dictionary(first.running.map { ($0.name, $0.running) }) { first, _ in first }
    let new = Dictionary(second.running.map { ($0.name, $0.running) }) { first, _ in first }
    let names = second.running.map(\.name) + first.running.map(\.name).filter { new[$0] == nil }
    rows = names.map { Row(name: $0, before: old[$0], after: new[$0]) }
      .sorted { (-abs($0.change), $0.name) < (-abs($1.change), $1.name) }
  }
}
