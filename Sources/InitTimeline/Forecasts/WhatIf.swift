/// The assumed differences in a pass.
package struct WhatIf: Sendable, Equatable {
  /// How many initializers may run at once; `nil` for as many as in the pass.
  package var concurrency: Int?
  /// The initializers that don't exist.
  package var without: Set<String> = []
  /// How many times faster an initializer runs.
  package var speedups: [String: Double] = [:]
  /// How long all attempts of an initializer take together, in seconds.
  package var durations: [String: Double] = [:]

  /// Creates a value in which nothing is different.
  package init() {}

  /// All names that it mentions, sorted.
  package var names: [String] { without.union(speedups.keys).union(durations.keys).sorted() }

  /// Returns the factor for the durations of an initializer's runs, which take `running` together in the pass.
  func factor(of name: String, running: Double) -> Double {
    if let duration = durations[name] { return running > 0 ? duration / running : 0 }
    return 1 / (speedups[name] ?? 1)
  }
}
