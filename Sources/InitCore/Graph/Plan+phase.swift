public import InitWords

extension Plan {
  /// Plans a pass of a phase in which nothing has run yet: its initializers in the order of registration, each preceded by its dependencies
  /// (S3, S4, S6).
  ///
  /// What an active pass needs of launch has completed.
  public init(of phase: Phase, _ declarations: [Declaration]) {
    let indexes = Dictionary(declarations.enumerated().map { ($1.name, $0) }) { first, _ in first }
    self.init(roots: declarations.lazy.filter { $0.priority == phase.priority }.map(\.name)) { name in
      guard let index = indexes[name] else { return .undeclared(isFault: true) }
      return phase == .active && declarations[index].priority == .appLaunch
        ? .satisfied : .declared(declarations[index], isDuplicated: false)
    }
  }
}
