internal import InitWords

/// A search upwards in the graph for initializers with `inputs`, `freshFor` or `unless` that launch hasn't decided yet (S30).
///
/// Launch decides such an initializer when it finds it fresh, or when its run has ended. Until then, an initializer that has completed before
/// isn't complete for its dependents. One that hasn't completed waits by itself, so the search goes on only above the others.
struct UndecidedAncestors {
  private let registry: Registry
  /// The known results, by initializer; an initializer whose ancestors are being searched has none.
  private var known: [[InitializerIndex]?]

  /// Creates the search; `nil` if launch has nothing to decide.
  init?(_ registry: Registry) {
    self.registry = registry
    known = []
    guard registry.indexes.contains(where: isUndecided) else { return nil }
    known = Array(repeating: nil, count: registry.count)
  }

  /// Whether launch has to decide an initializer before its dependents may use an earlier completion.
  static func mayBeUndecided(_ entry: Entry) -> Bool {
    (entry.declaration.freshness != nil || entry.declaration.hasUnless) && entry.declaration.priority == .appLaunch
      && entry.isSelected
  }

  private func isUndecided(_ index: InitializerIndex) -> Bool {
    Self.mayBeUndecided(registry[index]) && !registry[index].isDone(in: .launch)
  }

  /// Returns the undecided initializers among these names and above them, without repetitions.
  mutating func among(_ names: [String]) -> [InitializerIndex] {
    var found: [[InitializerIndex]] = []
    for name in names { if let index = registry.index(of: name) { found.append(search(from: index)) } }
    return union(of: found)
  }

  /// Searches from an initializer upwards, with a stack of its own.
  private mutating func search(from start: InitializerIndex) -> [InitializerIndex] {
    var stack = [start]
    var isEntered = [start: false]
    while let index = stack.last {
      if let found = known[index.rawValue] {
        stack.removeLast()
        if index == start { return found }
        continue
      }
      if isUndecided(index) {
        known[index.rawValue] = [index]
      } else if registry[index].isLeftOut {
        known[index.rawValue] = []
      } else {
        let dependencies = registry[index].declaration.dependencies.compactMap { registry.index(of: $0) }
        if isEntered.updateValue(true, forKey: index) == true {
          // Everything above is known, except an initializer of a cycle, which adds nothing.
          known[index.rawValue] = union(of: dependencies.map { known[$0.rawValue] ?? [] })
        } else {
          stack += dependencies.filter { known[$0.rawValue] == nil && isEntered[$0] != true }
        }
      }
    }
    return known[start.rawValue] ?? []
  }

  /// Returns all initializers of some lists; if only one of them isn't empty, it is shared.
  private func union(of lists: some Sequence<[InitializerIndex]>) -> [InitializerIndex] {
    var union: [InitializerIndex] = []
    for list in lists where !list.isEmpty && list != union {
      if union.isEmpty {
        union = list
      } else {
        let seen = Set(union)
        union += list.filter { !seen.contains($0) }
      }
    }
    return union
  }
}
