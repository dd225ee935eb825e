internal import InitWords

/// The initializers that a pass will run, their order, and their faults, determined before anything runs (S5).
///
/// Terms. A *root* is an initializer of the phase itself. An *item* is a root or a dependency of one. The *depth-first order* is: roots as
/// listed, each preceded by its dependencies in the order it lists them, and then by its predecessors (S6). A *predecessor* of an item is
/// another item of the same phase after whose end it starts, without depending on it; the item is its *follower*.
///
/// Invariants. Planning visits each initializer and each dependency once, and once more if there are predecessors, because it must know
/// first which names are items. It uses a stack of its own, so a chain of 100,000 causes no deep recursion. It doesn't stop at the first
/// fault: the order is complete even if there is a cycle, so it can be shown.
public struct Plan: Hashable, Sendable {
  /// How a name is resolved.
  public enum Resolution: Hashable, Sendable {
    /// The initializer must run.
    ///
    /// `isDuplicated`: the name was declared twice, which is a fault (S5). `takesSlot` is false if its run only waits (S6).
    case declared(Declaration, isDuplicated: Bool, takesSlot: Bool = true)
    /// The initializer is already complete, or another phase runs it, so it isn't an item.
    case satisfied
    /// The initializer failed in another pass and won't run in this one; its dependents can't run (S8).
    case failed(Declaration, Failure)
    /// The name isn't declared.
    ///
    /// `isFault`: it never will be (S5); otherwise a worker may still register it (S20).
    case undeclared(isFault: Bool)
  }

  /// One name of the plan.
  public struct Item: Hashable, Sendable {
    /// The initializer.
    public let name: String
    /// The index of the initializer when it was planned, if it had one; see ``Plan/index(of:_:)``.
    let initializer: InitializerIndex?
    /// The declaration at the time of planning; `nil` for a name that isn't registered yet.
    public let declaration: Declaration?
    private let known: Box<Failure>?
    /// Whether a run of it takes a slot of the concurrency (S6).
    let takesSlot: Bool
    /// Whether a failure of this initializer fails the pass, because an initializer that isn't optional depends on it (S8).
    public internal(set) var isNeeded = false

    /// The reason why the initializer can't run, known before the pass began.
    public var failure: Failure? { known?.value }

    init(
      _ name: String, _ initializer: InitializerIndex?, _ declaration: Declaration?, takesSlot: Bool = true,
      failure: Failure? = nil
    ) {
      self.name = name
      self.initializer = initializer
      self.declaration = declaration
      known = failure.map(Box.init)
      self.takesSlot = takesSlot
    }
  }

  /// All items, in depth-first order.
  public private(set) var items: [Item] = []
  /// The dependencies of each item, in the order listed.
  public private(set) var dependencies = Edges()
  /// The dependents of each item.
  public private(set) var dependents = Edges()
  /// The predecessors of the items that have any, by index, whose own type isn't used as a key for the reason given in `Box`.
  private(set) var predecessors: [Int: [PlanIndex]] = [:]
  /// The followers of the items that have any, by index.
  private(set) var followers: [Int: [PlanIndex]] = [:]
  /// The undecided initializers above an item's completed dependencies, by index: the item waits for them, too (S30).
  ///
  /// `dependencies` contains them as well.
  private(set) var inherited: [Int: [String]] = [:]
  /// The faults found, in order: duplicates, cycles and missing dependencies.
  public private(set) var faults: [Failure] = []
  /// The first of the faults.
  public var fault: Failure? { faults.first }
  /// The index in `items` of each initializer; negative if it has none.
  private var indexes: [Int] = []
  /// The indexes of the names that aren't initializers yet.
  private var others: [String: PlanIndex] = [:]

  /// Creates an empty plan.
  public init() {}

  /// Plans the roots and their dependencies.
  ///
  /// - Parameters:
  ///   - roots: the names of the phase itself, in order.
  ///   - faultLimit: the maximum number of recorded faults; to run a pass, the first is enough.
  ///   - resolve: called once for each name; twice if there are predecessors.
  public init(roots: some Collection<String>, faultLimit: Int = 1, resolve: (String) -> Resolution) {
    self.init(
      roots: roots.map { ($0, nil) }, indexCount: 0, faultLimit: faultLimit, index: { _ in nil },
      resolve: { name, _ in resolve(name) })
  }

  /// Plans the roots and their dependencies; those that are initializers are found by their indexes, which is faster than by names.
  ///
  /// `indexCount` is the number of initializers. `index` returns the index of the initializer of that name, if there is one. `inherited`
  /// returns the names of the initializers of the plan for which an item waits although it doesn't depend on them directly (S30).
  init(
    roots: [(name: String, index: InitializerIndex?)], indexCount: Int, faultLimit: Int = 1,
    index: (String) -> InitializerIndex?, inherited: @escaping (Declaration) -> [String] = { _ in [] },
    resolve: (_ name: String, _ index: InitializerIndex?) -> Resolution
  ) {
    func walk(_ predecessors: (Declaration) -> [String]) -> Planner {
      var planner = Planner(
        indexCount, reserving: max(indexCount, roots.count), faultLimit: faultLimit, inherited: inherited)
      for root in roots { planner.visit(root.name, root.index, index, predecessors, resolve) }
      return planner
    }
    var hasPredecessors = false
    self.init(
      walk { declaration in
        hasPredecessors = hasPredecessors || !declaration.after.isEmpty
        return []
      })
    guard hasPredecessors else { return }
    let members = self
    self.init(
      walk { declaration in
        declaration.after.filter { members.contains($0, index($0), of: declaration.priority) }
      })
  }

  private init(_ planner: consuming Planner) {
    // Swapped, because a second reference would make `markNeeded` copy them.
    swap(&items, &planner.items)
    dependencies = planner.dependencies
    dependents = dependencies.reversed()
    faults = planner.faults
    predecessors = planner.predecessors
    followers = planner.followers
    inherited = planner.inherited
    (indexes, others) = planner.removeIndexes()
    markNeeded()
  }

  private mutating func markNeeded() {
    for index in items.indices.reversed().lazy.map({ PlanIndex($0) }) {
      items[index].isNeeded = dependents[index].contains { dependent in
        items[dependent].isNeeded || items[dependent].declaration?.isOptional == false
      }
    }
  }

  /// Returns the index of a name in `items`; `nil` if the plan doesn't contain it.
  ///
  /// - Parameters:
  ///   - name: the name of an item.
  ///   - initializer: the index of the initializer of that name, if there is one now.
  /// - Returns: the index of its item.
  public func index(of name: String, _ initializer: InitializerIndex? = nil) -> PlanIndex? {
    guard let initializer, initializer.rawValue < indexes.count else { return others.isEmpty ? nil : others[name] }
    let index = indexes[initializer.rawValue]
    return index < 0 ? nil : PlanIndex(index)
  }

  /// Returns whether an item has this name and this priority.
  private func contains(_ name: String, _ initializer: InitializerIndex?, of priority: Priority) -> Bool {
    index(of: name, initializer).flatMap { items[$0].declaration }?.priority == priority
  }

  /// Returns for how many others an item waits.
  func waits(of index: PlanIndex) -> Int { dependencies[index].count + (predecessors[index.rawValue]?.count ?? 0) }

  /// Finds all items by their names from now on, because the indexes of the initializers have changed.
  mutating func forgetInitializerIndexes() {
    indexes = []
    for (index, item) in items.enumerated() { others[item.name] = PlanIndex(index) }
  }
}

/// The walk behind a plan: depth first, with a stack of its own.
private struct Planner {
  private struct OpenItem {
    let name: String
    let node: Int
    let declaration: Declaration
    let takesSlot: Bool
    /// The position in `found` at which the dependencies begin.
    let start: Int
    /// What else it waits for: undecided initializers above its dependencies (S30).
    let inherited: [String]
    let predecessors: [String]
    /// The position in `found` at which the dependencies end, and the predecessors begin.
    var middle = 0
    var next = 0

    /// Returns the next dependency, or else the next predecessor; `found` is how many items have been found.
    mutating func nextName(_ found: Int) -> String? {
      defer { next += 1 }
      let declared = declaration.dependencies.count
      if next < declared { return declaration.dependencies[next] }
      if next < declared + inherited.count { return inherited[next - declared] }
      let predecessor = next - declared - inherited.count
      if predecessor == 0 { middle = found }
      return predecessor < predecessors.count ? predecessors[predecessor] : nil
    }
  }

  /// The marks of nodes that aren't items yet.
  ///
  /// The marks are negative, so indexes of items and marks fit into one table.
  private enum Mark {
    static let unvisited = -1
    static let satisfied = -2
    /// Returns the mark of an item that is on the stack, at this index.
    static func open(depth: Int) -> Int { -3 - depth }
    static func depth(_ mark: Int) -> Int { -3 - mark }
  }

  var items: [Plan.Item] = []
  var dependencies = Edges()
  private(set) var predecessors: [Int: [PlanIndex]] = [:]
  private(set) var followers: [Int: [PlanIndex]] = [:]
  var faults: [Failure] = []
  private let faultLimit: Int
  private let inherit: (Declaration) -> [String]
  /// See ``Plan/inherited``.
  private(set) var inherited: [Int: [String]] = [:]
  /// The number of initializers: they are the first nodes, by their indexes.
  private let initializerCount: Int
  /// The item's index or the mark of each node.
  private var marks: [Int]
  /// The nodes of the other names.
  private var others: [String: Int] = [:]
  private var missing: Set<Int> = []
  private var stack: [OpenItem] = []
  /// The dependencies found so far of the items on the stack.
  private var found: [Int] = []
  /// The last item that depends on each item, so a repeated dependency is noticed.
  private var lastDependents: [Int] = []

  init(
    _ initializerCount: Int, reserving count: Int, faultLimit: Int, inherited: @escaping (Declaration) -> [String]
  ) {
    inherit = inherited
    self.initializerCount = initializerCount
    self.faultLimit = faultLimit
    marks = [Int](repeating: Mark.unvisited, count: initializerCount)
    items.reserveCapacity(count)
    dependencies.reserveCapacity(count)
    lastDependents.reserveCapacity(count)
  }

  /// Removes and returns the indexes of the items: by initializer, and of the other names.
  mutating func removeIndexes() -> (indexes: [Int], others: [String: PlanIndex]) {
    let named = others.compactMapValues { marks[$0] < 0 ? nil : PlanIndex(marks[$0]) }
    marks.removeLast(marks.count - initializerCount)
    for node in marks.indices where marks[node] < 0 { marks[node] = Mark.unvisited }
    defer { marks = [] }
    return (marks, named)
  }

  mutating func visit(
    _ root: String, _ index: InitializerIndex?, _ find: (String) -> InitializerIndex?,
    _ predecessors: (Declaration) -> [String], _ resolve: (String, InitializerIndex?) -> Plan.Resolution
  ) {
    let node = index?.rawValue ?? otherNode(of: root)
    guard marks[node] == Mark.unvisited else { return }
    enter(root, node, as: resolve(root, initializer(of: node)), predecessors)
    while !stack.isEmpty {
      let top = stack.count - 1
      guard let name = stack[top].nextName(found.count) else {
        leave()
        continue
      }
      let node = find(name)?.rawValue ?? otherNode(of: name)
      let mark = marks[node]
      if mark >= 0 {
        if missing.contains(mark) { blame(.missingDependency(initializer: stack[top].name, dependency: name)) }
        found.append(mark)
      } else if mark == Mark.unvisited {
        enter(name, node, as: resolve(name, initializer(of: node)), predecessors)
      } else if mark != Mark.satisfied {
        blameCycle(from: Mark.depth(mark), to: name)
      }
    }
  }

  private func initializer(of node: Int) -> InitializerIndex? {
    node < initializerCount ? InitializerIndex(node) : nil
  }

  private mutating func otherNode(of name: String) -> Int {
    if let node = others[name] { return node }
    others[name] = marks.count
    marks.append(Mark.unvisited)
    return marks.count - 1
  }

  private mutating func enter(
    _ name: String, _ node: Int, as resolution: Plan.Resolution, _ predecessors: (Declaration) -> [String]
  ) {
    switch resolution {
    case .declared(let declaration, let isDuplicated, let takesSlot):
      if isDuplicated { blame(.duplicateInitializer(name)) }
      marks[node] = Mark.open(depth: stack.count)
      stack.append(
        OpenItem(
          name: name, node: node, declaration: declaration, takesSlot: takesSlot, start: found.count,
          inherited: inherit(declaration),
          predecessors: predecessors(declaration)))
    case .satisfied: marks[node] = Mark.satisfied
    case .failed(let declaration, let failure):
      add(Plan.Item(name, initializer(of: node), declaration, failure: failure), node)
    case .undeclared(let isFault):
      if isFault, let parent = stack.last { blame(.missingDependency(initializer: parent.name, dependency: name)) }
      add(Plan.Item(name, initializer(of: node), nil), node, isMissing: isFault)
    }
  }

  private mutating func leave() {
    let open = stack.removeLast()
    let item = PlanIndex(items.count)
    for dependency in found[open.start..<open.middle] where lastDependents[dependency] != items.count {
      lastDependents[dependency] = items.count
      dependencies.add(PlanIndex(dependency))
    }
    for predecessor in found[open.middle...] where lastDependents[predecessor] != items.count {
      lastDependents[predecessor] = items.count
      predecessors[item.rawValue, default: []].append(PlanIndex(predecessor))
      followers[predecessor, default: []].append(item)
    }
    found.removeLast(found.count - open.start)
    if !open.inherited.isEmpty { inherited[item.rawValue] = open.inherited }
    add(Plan.Item(open.name, initializer(of: open.node), open.declaration, takesSlot: open.takesSlot), open.node)
  }

  private mutating func add(_ item: Plan.Item, _ node: Int, isMissing: Bool = false) {
    if isMissing { missing.insert(items.count) }
    marks[node] = items.count
    if !stack.isEmpty { found.append(items.count) }
    items.append(item)
    dependencies.endList()
    lastDependents.append(-1)
  }

  /// Records a cycle.
  ///
  /// The number of cycles is limited, because each copies the stack, and there may be as many cycles as dependencies.
  private mutating func blameCycle(from depth: Int, to name: String) {
    if faults.count < faultLimit { faults.append(.circularDependency(stack[depth...].map(\.name) + [name])) }
  }

  private mutating func blame(_ failure: Failure) {
    if faults.count < faultLimit { faults.append(failure) }
  }
}

extension Array where Element == Plan.Item {
  package subscript(index: PlanIndex) -> Plan.Item {
    get { self[index.rawValue] }
    _modify { yield &self[index.rawValue] }
  }
}
