internal import InitWords

/// The dependents of each initializer, by the newest declarations: the graph of the registry in the other direction.
struct Dependents: Hashable, Sendable {
  private let edges: Edges

  init(_ registry: Registry) {
    var dependencies = Edges()
    for index in registry.indexes {
      for name in registry[index].declaration.dependencies {
        if let dependency = registry.index(of: name) { dependencies.add(PlanIndex(dependency.rawValue)) }
      }
      dependencies.endList()
    }
    edges = dependencies.reversed()
  }

  /// Returns the direct and indirect dependents that are affected by a run of these initializers in a phase, without the initializers
  /// themselves.
  ///
  /// A run in launch affects all dependents. A run in an active pass doesn't affect launch initializers, because these use only results of
  /// launch.
  func reached(from starts: [InitializerIndex], in phase: Phase, _ registry: Registry) -> [InitializerIndex] {
    var reached: [InitializerIndex] = []
    var isSeen = [Bool](repeating: false, count: registry.count)
    for start in starts { isSeen[start.rawValue] = true }
    var next = starts
    while let index = next.popLast() {
      for dependent in edges[PlanIndex(index.rawValue)] where !isSeen[dependent.rawValue] {
        isSeen[dependent.rawValue] = true
        let dependent = InitializerIndex(dependent.rawValue)
        if phase == .active, registry[dependent].declaration.priority != .appActive { continue }
        // A skipped initializer never runs and passes no output on (S28).
        if registry[dependent].isLeftOut { continue }
        reached.append(dependent)
        next.append(dependent)
      }
    }
    return reached
  }
}
