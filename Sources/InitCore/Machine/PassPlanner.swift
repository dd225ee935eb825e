internal import InitWords

/// Plans a pass: selects its initializers and their declarations (S5, S19, S20).
///
/// A class, because it is captured several times, and its contents would be copied each time.
final class PassPlanner {
  private let registry: Registry
  private let pass: Pass
  private let acceptsWorkers: Bool
  /// The names that count as complete, declared or not (S28).
  private let skipped: Set<String>
  /// The processes that a person has stopped: a pass contains them only for what depends on them.
  private let stopped: Set<String>
  /// The initializers that launch still has to decide (S30); `nil` if there are none.
  private var undecided: UndecidedAncestors?

  init(registry: Registry, pass: Pass, stopped: Set<String>, _ configuration: Machine.Configuration) {
    self.registry = registry
    self.pass = pass
    acceptsWorkers = configuration.acceptsWorkers
    skipped = configuration.skipped
    self.stopped = stopped
    undecided = pass.phase == .launch ? UndecidedAncestors(registry) : nil
  }

  func plan() -> Plan {
    Plan(roots: roots, indexCount: registry.count, index: registry.index(of:), inherited: inherited, resolve: resolve)
  }

  /// Returns the undecided initializers above the completed dependencies of an initializer (S30).
  private func inherited(by declaration: Declaration) -> [String] {
    guard undecided != nil else { return [] }
    let completed = declaration.dependencies.filter { name in
      registry.index(of: name).map { registry[$0].isDone(in: .launch) } ?? false
    }
    return undecided?.among(completed).map { registry.name(at: $0) } ?? []
  }

  /// The initializers of the phase itself, in the order of registration; `resolve` knows which are done.
  private var roots: [(name: String, index: InitializerIndex?)] {
    registry.indexes
      .filter { index in
        registry[index].isSelected && declaration(of: index).priority == pass.phase.priority
          && !stopped.contains(registry.name(at: index))
      }
      .map { (registry.name(at: $0), $0) }
  }

  /// Returns the declaration that the pass uses: the one it was planned with, unless the name had no provider then; otherwise the newest.
  private func declaration(of index: InitializerIndex) -> Declaration {
    let newest = registry[index].declaration
    if pass.plan.items.isEmpty || pass.fresh.contains(newest.name) { return newest }
    return pass.declaration(of: newest.name, index) ?? newest
  }

  private func resolve(_ name: String, _ index: InitializerIndex?) -> Plan.Resolution {
    guard pass.completed[name] == nil else { return .satisfied }
    guard let index else { return skipped.contains(name) ? .satisfied : .undeclared(isFault: !acceptsWorkers) }
    let declaration = declaration(of: index)
    let declared = Plan.Resolution.declared(
      declaration, isDuplicated: registry[index].isDuplicated, takesSlot: registry[index].kind.takesSlot)
    switch (pass.phase, declaration.priority) {
    case (.launch, _): return registry[index].isDone(in: .launch) ? .satisfied : declared
    case (.active, .appActive): return registry[index].isDone(in: .active) ? .satisfied : declared
    case (.active, .appLaunch):
      if registry[index].isDone(in: .launch) || pass.isProvisional { return .satisfied }
      if let failure = registry[index].failure { return .failed(declaration, failure) }
      return .undeclared(isFault: false)
    }
  }
}
