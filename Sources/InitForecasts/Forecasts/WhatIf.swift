internal import InitModel
internal import InitTimeline

/// The assumed differences in a pass.
package struct WhatIf: Sendable, Equatable {
  /// How many initializers may run at once; `nil` for as many as in the pass.
  package var concurrency: Int?
  /// How many initializers of a group may run at once, for groups in which that is changed.
  package var groups: [String: Int] = [:]
  /// The initializers that don't exist.
  package var without: Set<String> = []
  /// The dependencies that don't exist.
  package var withoutDependencies: Set<Dependency> = []
  /// How many times faster an initializer runs.
  package var speedups: [String: Double] = [:]
  /// How long all attempts of an initializer take together, in seconds.
  package var durations: [String: Double] = [:]
  /// The initializers that wait for an external event: each ends when it did in the pass, however early it starts.
  package var moments: Set<String> = []

  /// A dependency of an initializer on another.
  package struct Dependency: Sendable, Hashable {
    /// The initializer that depends.
    package let dependent: String
    /// The dependency of that initializer.
    package let dependency: String

    /// Describes a dependency of an initializer on another.
    package init(of dependent: String, on dependency: String) {
      self.dependent = dependent
      self.dependency = dependency
    }
  }

  /// Creates a value in which nothing is different.
  package init() {}

  /// All names in the changes, sorted.
  package var names: [String] {
    let ofDependencies = withoutDependencies.flatMap { [$0.dependent, $0.dependency] }
    return without.union(ofDependencies).union(speedups.keys).union(durations.keys).union(moments).sorted()
  }

  /// Returns whether everything is as in a pass.
  func isUnchanged(from pass: Pass) -> Bool {
    let places = pass.groups?.places ?? [:]
    return names.isEmpty && (concurrency == nil || concurrency == pass.concurrency)
      && groups.allSatisfy { places[$0.key] == $0.value }
  }

  /// Returns the factor for the durations of an initializer's runs; `running` is their sum in the pass.
  func factor(of name: String, running: Double) -> Double {
    if let duration = durations[name] { return running > 0 ? duration / running : 0 }
    return 1 / (speedups[name] ?? 1)
  }
}
