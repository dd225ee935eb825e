internal import InitCore

/// What completed runs have handed over, as long as somebody may get it (S25).
struct Outputs {
  /// What the launch phase's runs handed over: it stands until they run again.
  private var launch: [String: any Sendable] = [:]
  /// What the runs of the newest active pass handed over.
  private var active: [String: any Sendable] = [:]

  /// These were handed over before this manager's time.
  mutating func remember(_ outputs: [String: any Sendable]) { launch.merge(outputs) { _, new in new } }

  /// A run starts: what its initializer handed over before is no more.
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

  /// A new active pass: what the one before handed over isn't for this.
  mutating func beginActivePass() { active = [:] }

  /// The initializers were taken away.
  mutating func forget(_ names: [String]) {
    for name in names {
      launch[name] = nil
      active[name] = nil
    }
  }

  /// What a dependency hands to a run of that phase: the output of the completion that satisfies the dependency.
  func output(of dependency: String, _ priority: Priority, in phase: Phase) -> (any Sendable)? {
    switch (phase, priority) {
    case (.launch, _), (.active, .appLaunch): launch[dependency]
    case (.active, .appActive): active[dependency]
    }
  }

  /// What an initializer has handed over last.
  func last(of name: String) -> (any Sendable)? { active[name] ?? launch[name] }

  /// Whether there is none.
  var isEmpty: Bool { launch.isEmpty && active.isEmpty }
}
