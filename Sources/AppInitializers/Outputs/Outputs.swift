internal import InitCore
internal import InitWords

/// The outputs of completed runs, as long as dependents may get them (S25).
struct Outputs {
  /// The outputs of the launch phase's runs, kept until they run again.
  private var launch: [String: any Sendable] = [:]
  /// The outputs of the newest active pass.
  private var active: [String: any Sendable] = [:]

  /// The outputs of runs whose result is about to be processed.
  var produced: [RunID: any Sendable] = [:]

  /// Restores outputs from a previous supervisor.
  mutating func remember(_ outputs: [String: any Sendable]) { launch.merge(outputs) { _, new in new } }

  /// Drops the previous output of an initializer whose run starts.
  mutating func clear(for start: RunStart) {
    guard !isEmpty else { return }
    switch start.phase {
    case .launch: launch[start.initializer] = nil
    case .active: active[start.initializer] = nil
    }
  }

  /// Keeps the output of a run that completes.
  mutating func keep(_ output: any Sendable, of initializer: String, in phase: Phase) {
    switch phase {
    case .launch: launch[initializer] = output
    case .active: active[initializer] = output
    }
  }

  /// Drops the outputs of the previous active pass, because a new one begins.
  mutating func beginActive() { active = [:] }

  /// Drops the outputs of initializers that were removed.
  mutating func forget(_ names: [String]) {
    for name in names {
      launch[name] = nil
      active[name] = nil
    }
  }

  /// Returns the outputs of a run's dependencies (S25).
  func inputs(of start: RunStart, _ machine: Machine) -> [String: any Sendable] {
    guard let declared = machine.initializer(named: start.initializer) else { return [:] }
    var inputs: [String: any Sendable] = [:]
    for name in declared.declaration.dependencies {
      guard let priority = machine.initializer(named: name)?.declaration.priority else { continue }
      inputs[name] = output(of: name, priority, in: start.phase)
    }
    return inputs
  }

  /// Returns the output of a dependency for a run of that phase: the output of the run that satisfied the dependency.
  private func output(of dependency: String, _ priority: Priority, in phase: Phase) -> (any Sendable)? {
    switch (phase, priority) {
    case (.launch, _), (.active, .appLaunch): launch[dependency]
    case (.active, .appActive): active[dependency]
    }
  }

  /// Returns the last output of an initializer.
  func last(of name: String) -> (any Sendable)? { active[name] ?? launch[name] }

  /// Whether there is none.
  var isEmpty: Bool { launch.isEmpty && active.isEmpty }
}
