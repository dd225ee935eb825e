/// The initializers that a pass will run, their order, and their faults, determined before anything runs (S5).
///
/// Terms. A *root* is an initializer of the phase itself. An *item* is a root or a dependency of one. The *depth-first order* is: roots as
/// listed, each preceded by its dependencies in the order it lists them (S6).
///
/// Invariants. Planning visits each initializer and each dependency once. It uses a stack of its own, so that a chain of 100,000 causes no
/// deep recursion. It doesn't stop at the first fault: the order is complete even if there is a cycle, so that it can be shown.
public struct Plan: Hashable, Sendable {
  /// How a name is resolved.
  public enum Resolution: Hashable, Sendable {
    /// It must run. `isDuplicated`: the name was declared twice, which is a fault (S5).
    case declared(Declaration, isDuplicated: Bool)
    /// It is already complete, or another phase runs it, so it isn't an item.
    case satisfied
    /// It failed in another pass and won't run in this one; its dependents can't run (S8).
    case failed(Declaration, Failure)
    /// It isn't declared. `isFault`: it never will be (S5); otherwise a worker may still register it (S20).
    case undeclared(isFault: Bool)
  }

  /// One name of the plan.
  public struct Item: Hashable, Sendable {
    /// The initializer.
    public let name: String
    /// Its declaration at the time of planning; `nil` for a name that isn't registered yet.
    public let declaration: Declaration?
    /// Why it can't run, known before the pass began.
    public let failure: Failure?
    /// The indexes in `items` of its dependencies, in the order listed.
    public internal(set) var dependencies: [Int] = []
    /// The indexes in `items` of its dependents.
    public internal(set) var dependents: [Int] = []
    /// Whether its failure fails the pass, because an initializer that isn't optional depends on it (S8).
    public internal(set) var isNeeded = false
  }

  /// All items, in depth-first order.
  public private(set) var items: [Item] = []
  /// The index of each name in `items`.
  public private(set) var places: [String: Int] = [:]
  /// The faults found, in order: duplicates, cycles and missing dependencies.
  public private(set) var faults: [Failure] = []
  /// The first of them.
  public var fault: Failure? { faults.first }

  /// An empty plan.
  public init() {}

  /// Plans the roots and their dependencies.
  ///
  /// - Parameters:
  ///   - roots: the names of the phase itself, in order.
  ///   - faultLimit: how many faults are recorded; to run a pass, the first is enough.
  ///   - resolve: called once for each name.
  public init(roots: some Sequence<String>, faultLimit: Int = 1, resolve: (String) -> Resolution) {
    var planner = Planner(reserving: roots.underestimatedCount, faultLimit: faultLimit)
    for root in roots { planner.visit(root, resolve) }
    self.items = planner.items
    self.places = planner.takePlaces()
    self.faults = planner.faults
    markNeeded()
  }

  private mutating func markNeeded() {
    for place in items.indices.reversed() {
      items[place].isNeeded = items[place].dependents.contains { dependent in
        items[dependent].isNeeded || items[dependent].declaration?.isOptional == false
      }
    }
  }
}

/// The walk behind a plan: depth first, with a stack of its own.
private struct Planner {
  private struct OpenItem {
    let name: String
    let declaration: Declaration
    var next = 0
    var found: [Int] = []

    mutating func nextDependency() -> String? {
      guard next < declaration.dependencies.count else { return nil }
      defer { next += 1 }
      return declaration.dependencies[next]
    }
  }

  /// The marks of visited names that have no place. They are negative, so that places and marks fit into one table.
  private enum Mark {
    static let satisfied = -1
    /// It is on the stack, at this index.
    static func open(depth: Int) -> Int { -2 - depth }
    static func depth(_ mark: Int) -> Int { -2 - mark }
  }

  var items: [Plan.Item] = []
  var faults: [Failure] = []
  private let faultLimit: Int
  /// The place or the mark of each visited name.
  private var places: [String: Int] = [:]
  private var missing: Set<Int> = []
  private var hasSatisfied = false
  private var stack: [OpenItem] = []

  init(reserving count: Int, faultLimit: Int) {
    self.faultLimit = faultLimit
    items.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// The places of all names that have one.
  mutating func takePlaces() -> [String: Int] {
    defer { places = [:] }
    return hasSatisfied ? places.filter { $0.value >= 0 } : places
  }

  mutating func visit(_ root: String, _ resolve: (String) -> Plan.Resolution) {
    guard places[root] == nil else { return }
    enter(root, as: resolve(root))
    while !stack.isEmpty {
      let top = stack.count - 1
      guard let name = stack[top].nextDependency() else {
        leave()
        continue
      }
      guard let mark = places[name] else {
        enter(name, as: resolve(name))
        continue
      }
      if mark >= 0 {
        if missing.contains(mark) { blame(.missingDependency(initializer: stack[top].name, dependency: name)) }
        stack[top].found.append(mark)
      } else if mark != Mark.satisfied {
        blameCycle(from: Mark.depth(mark), to: name)
      }
    }
  }

  private mutating func enter(_ name: String, as resolution: Plan.Resolution) {
    switch resolution {
    case .declared(let declaration, let isDuplicated):
      if isDuplicated { blame(.duplicateInitializer(name)) }
      places[name] = Mark.open(depth: stack.count)
      stack.append(OpenItem(name: name, declaration: declaration))
    case .satisfied:
      places[name] = Mark.satisfied
      hasSatisfied = true
    case .failed(let declaration, let failure):
      place(Plan.Item(name: name, declaration: declaration, failure: failure))
    case .undeclared(let isFault):
      if isFault, let parent = stack.last { blame(.missingDependency(initializer: parent.name, dependency: name)) }
      place(Plan.Item(name: name, declaration: nil, failure: nil), isMissing: isFault)
    }
  }

  private mutating func leave() {
    let open = stack.removeLast()
    var item = Plan.Item(name: open.name, declaration: open.declaration, failure: nil)
    item.dependencies = open.found.uniqued()
    for dependency in item.dependencies { items[dependency].dependents.append(items.count) }
    place(item)
  }

  private mutating func place(_ item: Plan.Item, isMissing: Bool = false) {
    if isMissing { missing.insert(items.count) }
    places[item.name] = items.count
    if !stack.isEmpty { stack[stack.count - 1].found.append(items.count) }
    items.append(item)
  }

  /// Limited, because each recorded cycle copies the stack, and there may be as many cycles as dependencies.
  private mutating func blameCycle(from depth: Int, to name: String) {
    if faults.count < faultLimit { faults.append(.circularDependency(stack[depth...].map(\.name) + [name])) }
  }

  private mutating func blame(_ failure: Failure) {
    if faults.count < faultLimit { faults.append(failure) }
  }
}

extension Array where Element: Hashable {
  /// The elements without repetitions, in the order of their first occurrence.
  fileprivate func uniqued() -> [Element] {
    guard count > 1 else { return self }
    var seen = Set<Element>(minimumCapacity: count)
    return filter { seen.insert($0).inserted }
  }
}
