/// What is assumed to be different in a pass.
public struct WhatIf: Sendable, Equatable {
  /// How many initializers may run at once; `nil` for as many as in the pass.
  public var concurrency: Int?
  /// The initializers that don't exist.
  public var without: Set<String> = []
  /// How many times faster an initializer runs.
  public var speedups: [String: Double] = [:]
  /// How long all attempts of an initializer take together, in seconds.
  public var durations: [String: Double] = [:]

  /// Nothing is different.
  public init() {}

  /// All names that it mentions, sorted.
  public var names: [String] { without.union(speedups.keys).union(durations.keys).sorted() }

  /// The factor for the durations of an initializer's runs, which take `running` together in the pass.
  func factor(of name: String, running: Double) -> Double {
    if let duration = durations[name] { return running > 0 ? duration / running : 0 }
    return 1 / (speedups[name] ?? 1)
  }
}
