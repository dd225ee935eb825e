internal import InitCore

/// The outputs of completed runs, as long as dependents may get them (S25).
struct Outputs {
  /// The outputs of the launch phase's runs, kept until they run again.
  private var launch: [String: any Sendable] = [:]
  /// The outputs of the newest active pass.
  private var active: [String: any Sendable] = [:]

  /// Restores outputs from a previous supervisor.
  mutating func remember(_ outputs: [String: any Sendable]) { launch.merge(outputs) { _, new in new } }

  /// A run starts: drops its initializer's previous output.
  mutating func clear(for start: RunStart) {
    switch start.phase {
    case .launch: launch[start.initializer] = nil
    case .active: active[start.initializer] = nil
    }
  }

  /// A run has completed.
  mutating func keep(_ output: any Sendable, of record: RunRecord) {
    switch record.phase {
    case .launch: launch[record.initializer] = output
    case .active: active[record.initializer] = output
    }
  }

  /// A new active pass starts: drops the outputs of the previous one.
  mutating func beginActivePass() { active = [:] }

  /// The initializers were removed.
  mutating func forget(_ names: [String]) {
    for name in names {
      launch[name] = nil
      active[name] = nil
    }
  }

  /// The output of a dependency for a run of that phase: that of the run that satisfied the dependency.
  func output(of dependency: String, _ priority: Priority, in phase: Phase) -> (any Sendable)? {
    switch (phase, priority) {
    case (.launch, _), (.active, .appLaunch): launch[dependency]
    case (.active, .appActive): active[dependency]
    }
  }

  /// The last output of an initializer.
  func last(of name: String) -> (any Sendable)? { active[name] ?? launch[name] }

  /// Whether there is none.
  var isEmpty: Bool { launch.isEmpty && active.isEmpty }
}
