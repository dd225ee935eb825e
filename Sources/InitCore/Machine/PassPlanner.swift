/// Plans a pass: which initializers it must run, with which declarations (S5, S19, S20).
///
/// A class, because it is captured several times, and its contents would be copied each time.
final class PassPlanner {
  private let registry: Registry
  private let pass: Pass
  private let acceptsWorkers: Bool
  /// The number found last.
  private var found = 0

  init(registry: Registry, pass: Pass, acceptsWorkers: Bool) {
    (self.registry, self.pass, self.acceptsWorkers) = (registry, pass, acceptsWorkers)
  }

  func plan() -> Plan {
    Plan(roots: roots, numbers: registry.count, number: number(of:), resolve: resolve)
  }

  /// The number of a dependency. The one found last and the next are tried first, because dependencies are often in the order of the
  /// initializers, and a look into the table of a large graph is a cache miss.
  private func number(of name: String) -> Int? {
    for number in found..<found + 2 where number < registry.count && registry.names[number] == name {
      found = number
      return number
    }
    let number = registry.number(of: name)
    if let number { found = number }
    return number
  }

  /// The initializers of the phase itself, in the order of registration; `resolve` knows which are done.
  private var roots: some Sequence<(name: String, number: Int?)> {
    registry.entries.indices.lazy
      .filter { self.declaration(of: $0).priority == self.pass.phase.priority }
      .map { (self.registry.names[$0], $0) }
  }

  /// The declaration that the pass uses: the one it was planned with, unless the name had no provider then; else the newest.
  private func declaration(of number: Int) -> Declaration {
    let newest = registry.entries[number].declaration
    if pass.plan.items.isEmpty || pass.fresh.contains(newest.name) { return newest }
    return pass.declaration(of: newest.name, number: number) ?? newest
  }

  private func resolve(_ name: String, _ number: Int?) -> Plan.Resolution {
    guard pass.completed[name] == nil else { return .satisfied }
    guard let number else { return .undeclared(isFault: !acceptsWorkers) }
    let declaration = declaration(of: number)
    let declared = Plan.Resolution.declared(declaration, isDuplicated: registry.entries[number].isDuplicated)
    switch (pass.phase, declaration.priority) {
    case (.launch, _): return registry.entries[number].isDoneInLaunch ? .satisfied : declared
    case (.active, .appActive): return registry.entries[number].isDoneInActive ? .satisfied : declared
    case (.active, .appLaunch):
      if registry.entries[number].isDoneInLaunch || pass.isProvisional { return .satisfied }
      if let failure = registry.entries[number].failure { return .failed(declaration, failure) }
      return .undeclared(isFault: false)
    }
  }
}
