internal import InitCore
internal import InitWire
internal import InitWords

/// A request that is answered when its target is reached.
struct Wait {
  /// The target of a wait.
  enum Target: Hashable {
    /// A client's `wait`.
    case asked(WaitTarget)
    /// No run of an active pass is stopping: a deactivation is complete.
    case quiet
    /// The runs that an operator has cancelled have stopped.
    case stopped
  }

  let id: RequestID
  let session: Int
  let target: Target
  /// Whether the wait is for an initializer that isn't declared yet.
  var mayAppear = false
  /// The names that were cancelled, for the answer of a deactivation or of an operator's cancellation.
  var cancelled: [String] = []
  /// The runs of an operator's cancellation.
  var runs: Set<RunID> = []
  /// The deadline, if it has a timeout.
  var deadline: Duration?

  /// The approximate memory of the wait: its entries in the tables of ``WaitList``, which double when they grow, its texts, and the names.
  var heldBytes: Int { 512 + cancelled.count * MemoryLayout<String>.stride }
}

/// The open waits, indexed by target and by deadline.
///
/// A step's cost depends only on the waits that it concerns.
struct WaitList {
  /// The waits for one target, in the order of their requests.
  ///
  /// Some numbers may belong to removed waits, but at most half of them.
  private struct Group {
    var numbers: [Int] = []
    var open = 0
  }

  private var waits: [Int: Wait] = [:]
  private var groups: [Wait.Target: Group] = [:]
  private var deadlines = IndexedHeap<Int, Duration>()
  private var last = 0

  /// The number of open waits.
  var count: Int { waits.count }

  /// The number of waits for which the tables have room.
  var capacity: Int { waits.capacity }

  /// Returns the open wait with this number.
  subscript(number: Int) -> Wait? { waits[number] }

  /// Adds a wait and returns the number by which it is removed.
  mutating func add(_ wait: Wait) -> Int {
    last += 1
    waits[last] = wait
    groups[wait.target, default: Group()].numbers.append(last)
    groups[wait.target]?.open += 1
    if let deadline = wait.deadline { deadlines[last] = deadline }
    return last
  }

  /// Removes a wait, if it is still open.
  mutating func remove(_ number: Int) -> Wait? {
    guard let wait = waits.removeValue(forKey: number) else { return nil }
    if wait.deadline != nil { deadlines[number] = nil }
    leave(wait.target, number)
    // A dictionary keeps its capacity.
    if waits.capacity > 64, waits.count < waits.capacity / 8 { shrink() }
    return wait
  }

  /// Copies the tables into smaller ones.
  private mutating func shrink() {
    waits = Dictionary(uniqueKeysWithValues: waits.map { ($0.key, $0.value) })
    var left = IndexedHeap<Int, Duration>()
    for (number, wait) in waits { left[number] = wait.deadline }
    deadlines = left
  }

  private mutating func leave(_ target: Wait.Target, _ number: Int) {
    // Waits that were already removed from their group have lower numbers than later ones.
    guard let first = groups[target]?.numbers.first, number >= first else { return }
    guard var group = groups.removeValue(forKey: target) else { return }
    group.open -= 1
    guard group.open > 0 else { return }
    if group.numbers.count > 2 * group.open + 16 { group.numbers.removeAll { waits[$0] == nil } }
    groups[target] = group
  }

  /// Returns whether a wait has this target.
  func isAwaited(_ target: Wait.Target) -> Bool { groups[target] != nil }

  /// Returns the open waits for one target, in the order of their requests.
  func waiting(for target: Wait.Target) -> [(number: Int, wait: Wait)] {
    groups[target]?.numbers.compactMap { number in waits[number].map { (number, $0) } } ?? []
  }

  /// Takes the waits for one target, in the order of their requests.
  ///
  /// The waits stay open, but aren't found by target any more.
  mutating func removeGroup(_ target: Wait.Target) -> [Int] { groups.removeValue(forKey: target)?.numbers ?? [] }

  /// The earliest deadline.
  var nextDeadline: Duration? { deadlines.first?.value }

  /// Returns the first wait whose deadline has passed.
  func expired(at now: Duration) -> Int? {
    guard let (deadline, number) = deadlines.first, deadline <= now else { return nil }
    return number
  }

  /// All open waits, in the order of their requests.
  var all: [(number: Int, wait: Wait)] { waits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
