package import InitModel
internal import InitTimeline
internal import InitWords

/// The initializers that got slower or faster from one pass to another.
package struct Comparison: Sendable, Equatable {
  /// How long an initializer ran in both.
  package struct Row: Sendable, Equatable {
    /// The initializer.
    package let name: String
    /// All its attempts together in the first pass, in seconds; `nil` if it didn't run.
    package let before: Double?
    /// The same in the second pass.
    package let after: Double?
    /// Why the durations can't be compared; `nil` if they can.
    package let difference: Difference?

    /// The increase of the duration, in seconds.
    package var change: Double { (after ?? 0) - (before ?? 0) }
  }

  /// Why the durations of an initializer in two passes can't be compared.
  package enum Difference: Sendable, Equatable {
    /// The initializer ran only in the first pass.
    case onlyBefore
    /// The initializer ran only in the second pass.
    case onlyAfter
    /// The initializer didn't run to completion: in the first pass, in the second, or in both.
    case unfinished(before: Bool, after: Bool)
  }

  /// The durations of a pass and its initializers.
  package struct Measure: Sendable, Equatable {
    /// How long an initializer ran, and whether it completed.
    struct Run: Sendable, Equatable {
      let name: String
      let running: Double
      let isComplete: Bool
    }

    let duration: Double
    let runs: [Run]
    /// Whether the pass completed.
    let isComplete: Bool

    /// Takes the durations of one pass.
    package init(_ pass: Pass.Times) {
      duration = pass.duration
      isComplete = pass.outcome == .complete
      runs = pass.initializers.filter { $0.attempts > 0 }.map {
        Run(name: $0.name, running: $0.running, isComplete: $0.outcome == .complete)
      }
    }

    /// Takes the medians of several passes, of which `passes` are the summaries.
    ///
    /// An initializer that ran in these, and never completed, is in none of the medians: its last duration is taken.
    package init(_ usual: Usual, of passes: [Pass.Times]) {
      duration = usual.duration
      isComplete = true
      let complete = usual.initializers.map { Run(name: $0.name, running: $0.running, isComplete: true) }
      let known = Set(complete.map(\.name))
      let last = Dictionary(
        passes.flatMap { Measure($0).runs }.filter { !known.contains($0.name) }.map { ($0.name, $0) }
      ) { $1 }
      runs = complete + last.values.sorted { $0.name < $1.name }
    }

    /// The initializers that ran to completion.
    package var completed: Set<String> { Set(runs.filter(\.isComplete).map(\.name)) }
  }

  /// The durations of the passes, from opening to end, in seconds.
  package let before: Double
  /// The same of the second pass.
  package let after: Double
  /// Whether the durations can be compared: both passes completed, and ran the same initializers to completion.
  package let isComparable: Bool
  /// The initializers that ran to completion in both passes, the largest change first; then the others.
  package let rows: [Row]

  /// Compares two measures.
  package init(_ first: Measure, with second: Measure) {
    before = first.duration
    after = second.duration
    isComparable = first.isComplete && second.isComplete && first.completed == second.completed
    let old = Dictionary(first.runs.map { ($0.name, $0) }) { first, _ in first }
    let new = Dictionary(second.runs.map { ($0.name, $0) }) { first, _ in first }
    let names = second.runs.map(\.name) + first.runs.map(\.name).filter { new[$0] == nil }
    let rows = names.map { name in
      Row(
        name: name, before: old[name]?.running, after: new[name]?.running,
        difference: Difference(old[name]?.isComplete, new[name]?.isComplete))
    }.sorted { (-abs($0.change), $0.name) < (-abs($1.change), $1.name) }
    self.rows = rows.filter { $0.difference == nil } + rows.filter { $0.difference != nil }
  }
}

extension Comparison.Difference {
  /// - Parameters: whether the initializer completed in each pass; `nil` if it didn't run.
  fileprivate init?(_ before: Bool?, _ after: Bool?) {
    switch (before, after) {
    case (true, true), (nil, nil): return nil
    case (_?, nil): self = .onlyBefore
    case (nil, _?): self = .onlyAfter
    case (let before?, let after?): self = .unfinished(before: !before, after: !after)
    }
  }
}
