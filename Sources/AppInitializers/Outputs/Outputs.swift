internal import InitCore
internal import InitWords

/// The outputs of completed runs, as long as dependents may get them (S25).
struct Outputs {
  /// The outputs of the launch phase's runs, kept until they run again.
  private var launch: [String: any Sendable] = [:]
  /// The outputs of the newest active pass.
  private var active: [String: any Sendable] = [:]
  /// The last outputs of initializers that may be fresh, from either phase, kept until they run again (S30).
  private var lasting: [String: any Sendable] = [:]

  /// The outputs of runs whose result is about to be processed.
  var produced: [RunID: any Sendable] = [:]

  /// Restores outputs from a previous supervisor.
  mutating func remember(_ outputs: [String: any Sendable]) {
    launch.merge(outputs) { _, new in new }
    lasting.merge(outputs) { _, new in new }
  }

  /// Drops the previous output of an initializer whose run starts.
  mutating func clear(for start: RunStart) {
    guard !isEmpty else { return }
    lasting[start.initializer] = nil
    switch start.phase {
    case .launch: launch[start.initializer] = nil
    case .active: active[start.initializer] = nil
    }
  }

  /// Keeps the output of a run that completes.
  ///
  /// `mayBeFresh` is true if the initializer may be skipped the next time, so its output stays valid.
  mutating func keep(_ output: any Sendable, of initializer: String, in phase: Phase, mayBeFresh: Bool = false) {
    if mayBeFresh { lasting[initializer] = output }
    switch phase {
    case .launch: launch[initializer] = output
    case .active: active[initializer] = output
    }
  }

  /// Gives the dependents in that phase the last output of an initializer that is fresh (S30).
  mutating func reuse(of initializer: String, in phase: Phase) {
    switch phase {
    case .launch: launch[initializer] = lasting[initializer]
    case .active: active[initializer] = lasting[initializer]
    }
  }

  /// Drops the outputs of the previous active pass, because a new pass begins.
  mutating func beginActive() { active = [:] }

  /// Drops the outputs of initializers that were removed.
  mutating func forget(_ names: [String]) {
    for name in names {
      launch[name] = nil
      active[name] = nil
      lasting[name] = nil
    }
  }

  /// Returns the outputs of an initializer's dependencies, for its run in that phase (S25).
  func inputs(of initializer: String, in phase: Phase, _ machine: Machine) -> [String: any Sendable] {
    guard let declared = machine.initializer(named: initializer) else { return [:] }
    return outputs(of: declared.declaration.dependencies, in: phase, machine)
  }

  /// Returns the outputs of these initializers, for a run in that phase.
  func outputs(of names: [String], in phase: Phase, _ machine: Machine) -> [String: any Sendable] {
    var found: [String: any Sendable] = [:]
    for name in names {
      guard let priority = machine.initializer(named: name)?.declaration.priority else { continue }
      found[name] = output(of: name, priority, in: phase)
    }
    return found
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

  /// Whether no output is kept.
  var isEmpty: Bool { launch.isEmpty && active.isEmpty && lasting.isEmpty }
}
