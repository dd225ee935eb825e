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
    /// Its number when it was planned; see ``Plan/place(of:number:)``.
    let number: Int
    /// Its declaration at the time of planning; `nil` for a name that isn't registered yet.
    public let declaration: Declaration?
    private let known: Box<Failure>?
    /// Whether its failure fails the pass, because an initializer that isn't optional depends on it (S8).
    public internal(set) var isNeeded = false

    /// Why it can't run, known before the pass began.
    public var failure: Failure? { known?.value }

    init(_ name: String, _ number: Int, _ declaration: Declaration?, failure: Failure? = nil) {
      (self.name, self.number, self.declaration) = (name, number, declaration)
      known = failure.map(Box.init)
    }
  }

  /// All items, in depth-first order.
  public private(set) var items: [Item] = []
  /// The dependencies of each item, in the order listed.
  public private(set) var dependencies = Edges()
  /// The dependents of each item.
  public private(set) var dependents = Edges()
  /// The faults found, in order: duplicates, cycles and missing dependencies.
  public private(set) var faults: [Failure] = []
  /// The first of them.
  public var fault: Failure? { faults.first }
  /// The place in `items` of each number; negative if it has none.
  private var places: [Int] = []
  /// The places of the names without a number.
  private var others: [String: Int] = [:]

  /// An empty plan.
  public init() {}

  /// Plans the roots and their dependencies.
  ///
  /// - Parameters:
  ///   - roots: the names of the phase itself, in order.
  ///   - faultLimit: how many faults are recorded; to run a pass, the first is enough.
  ///   - resolve: called once for each name.
  public init(roots: some Sequence<String>, faultLimit: Int = 1, resolve: (String) -> Resolution) {
    self.init(
      roots: roots.lazy.map { ($0, nil) }, numbers: 0, faultLimit: faultLimit, number: { _ in nil },
      resolve: { name, _ in resolve(name) })
  }

  /// Plans the roots and their dependencies, of which the caller has numbered some: numbers are found faster than names.
  ///
  /// - Parameters:
  ///   - numbers: how many numbers there are, from 0.
  ///   - number: the number of a name, if it has one.
  init(
    roots: some Sequence<(name: String, number: Int?)>, numbers: Int, faultLimit: Int = 1,
    number: (String) -> Int?, resolve: (_ name: String, _ number: Int?) -> Resolution
  ) {
    var planner = Planner(numbers, reserving: max(numbers, roots.underestimatedCount), faultLimit: faultLimit)
    for root in roots { planner.visit(root.name, root.number, number, resolve) }
    // Swapped, because a second reference would make `markNeeded` copy them.
    swap(&items, &planner.items)
    dependencies = planner.dependencies
    dependents = dependencies.reversed()
    faults = planner.faults
    (places, others) = planner.takePlaces()
    markNeeded()
  }

  private mutating func markNeeded() {
    for place in items.indices.reversed() {
      items[place].isNeeded = dependents[place].contains { dependent in
        items[dependent].isNeeded || items[dependent].declaration?.isOptional == false
      }
    }
  }

  /// The index of a name in `items`; `nil` if the plan doesn't contain it.
  ///
  /// - Parameters:
  ///   - name: the name of an item.
  ///   - number: its number, if it has one now.
  public func place(of name: String, number: Int? = nil) -> Int? {
    guard let number, number < places.count else { return others.isEmpty ? nil : others[name] }
    return places[number] < 0 ? nil : places[number]
  }

  /// The numbers have changed: from now on, all items are found by their names.
  mutating func forgetNumbers() {
    places = []
    for (place, item) in items.enumerated() { others[item.name] = place }
  }
}

/// The walk behind a plan: depth first, with a stack of its own.
private struct Planner {
  private struct OpenItem {
    let name: String
    let number: Int
    let declaration: Declaration
    /// Where its dependencies begin in `found`.
    let start: Int
    var next = 0

    mutating func nextDependency() -> String? {
      guard next < declaration.dependencies.count else { return nil }
      defer { next += 1 }
      return declaration.dependencies[next]
    }
  }

  /// The marks of names without a place. They are negative, so that places and marks fit into one table.
  private enum Mark {
    static let unvisited = -1
    static let satisfied = -2
    /// It is on the stack, at this index.
    static func open(depth: Int) -> Int { -3 - depth }
    static func depth(_ mark: Int) -> Int { -3 - mark }
  }

  var items: [Plan.Item] = []
  var dependencies = Edges()
  var faults: [Failure] = []
  private let faultLimit: Int
  /// How many numbers the caller has given.
  private let numbered: Int
  /// The place or the mark of each number.
  private var marks: [Int]
  /// Further numbers, of the names to which the caller has given none.
  private var others: [String: Int] = [:]
  private var missing: Set<Int> = []
  private var stack: [OpenItem] = []
  /// The dependencies found so far of the items on the stack.
  private var found: [Int] = []
  /// For each item the last one that depends on it, so that a repeated dependency is noticed.
  private var lastDependents: [Int] = []

  init(_ numbered: Int, reserving count: Int, faultLimit: Int) {
    self.numbered = numbered
    self.faultLimit = faultLimit
    marks = [Int](repeating: Mark.unvisited, count: numbered)
    items.reserveCapacity(count)
    dependencies.reserveCapacity(count)
    lastDependents.reserveCapacity(count)
  }

  /// The places of the caller's numbers, and of the other names.
  mutating func takePlaces() -> (places: [Int], others: [String: Int]) {
    let named = others.compactMapValues { marks[$0] < 0 ? nil : marks[$0] }
    marks.removeLast(marks.count - numbered)
    for number in marks.indices where marks[number] < 0 { marks[number] = Mark.unvisited }
    defer { marks = [] }
    return (marks, named)
  }

  mutating func visit(
    _ root: String, _ number: Int?, _ find: (String) -> Int?, _ resolve: (String, Int?) -> Plan.Resolution
  ) {
    let number = number ?? otherNumber(of: root)
    guard marks[number] == Mark.unvisited else { return }
    enter(root, number, as: resolve(root, number < numbered ? number : nil))
    while !stack.isEmpty {
      let top = stack.count - 1
      guard let name = stack[top].nextDependency() else {
        leave()
        continue
      }
      let number = find(name) ?? otherNumber(of: name)
      let mark = marks[number]
      if mark >= 0 {
        if missing.contains(mark) { blame(.missingDependency(initializer: stack[top].name, dependency: name)) }
        found.append(mark)
      } else if mark == Mark.unvisited {
        enter(name, number, as: resolve(name, number < numbered ? number : nil))
      } else if mark != Mark.satisfied {
        blameCycle(from: Mark.depth(mark), to: name)
      }
    }
  }

  private mutating func otherNumber(of name: String) -> Int {
    if let number = others[name] { return number }
    others[name] = marks.count
    marks.append(Mark.unvisited)
    return marks.count - 1
  }

  private mutating func enter(_ name: String, _ number: Int, as resolution: Plan.Resolution) {
    switch resolution {
    case .declared(let declaration, let isDuplicated):
      if isDuplicated { blame(.duplicateInitializer(name)) }
      marks[number] = Mark.open(depth: stack.count)
      stack.append(OpenItem(name: name, number: number, declaration: declaration, start: found.count))
    case .satisfied: marks[number] = Mark.satisfied
    case .failed(let declaration, let failure): place(Plan.Item(name, number, declaration, failure: failure))
    case .undeclared(let isFault):
      if isFault, let parent = stack.last { blame(.missingDependency(initializer: parent.name, dependency: name)) }
      place(Plan.Item(name, number, nil), isMissing: isFault)
    }
  }

  private mutating func leave() {
    let open = stack.removeLast()
    for dependency in found[open.start...] where lastDependents[dependency] != items.count {
      lastDependents[dependency] = items.count
      dependencies.add(dependency)
    }
    found.removeLast(found.count - open.start)
    place(Plan.Item(open.name, open.number, open.declaration))
  }

  private mutating func place(_ item: Plan.Item, isMissing: Bool = false) {
    if isMissing { missing.insert(items.count) }
    marks[item.number] = items.count
    if !stack.isEmpty { found.append(items.count) }
    items.append(item)
    dependencies.endList()
    lastDependents.append(-1)
  }

  /// Limited, because each recorded cycle copies the stack, and there may be as many cycles as dependencies.
  private mutating func blameCycle(from depth: Int, to name: String) {
    if faults.count < faultLimit { faults.append(.circularDependency(stack[depth...].map(\.name) + [name])) }
  }

  private mutating func blame(_ failure: Failure) {
    if faults.count < faultLimit { faults.append(failure) }
  }
}
