internal import InitCore
internal import InitWire

/// A request that is answered once something has come to pass.
struct Wait {
  /// What has to come to pass.
  enum Target: Hashable {
    case states(States)
    case initializer(String)
    case pass(Int)
    /// No run of an active pass is stopping.
    case quiet

    /// Those of the targets that are states.
    enum States: Hashable, CaseIterable { case ready, launch, active, composite }
  }

  let id: RequestID
  let session: Int
  let target: Target
  /// Whether it waits for an initializer that nobody has declared.
  var mayAppear = false
  /// What a deactivation cancelled, for its answer.
  var cancelled: [String] = []
  /// The instant at which its time is up, if it has a timeout.
  var deadline: Duration?
}

/// The open waits, found by what they wait for and by their deadlines. A step costs no more than the waits that it is about.
struct WaitList {
  /// The waits for one thing, in the order of asking. Numbers of waits that are gone may be among them, but never more than others.
  private struct Group {
    var numbers: [Int] = []
    var open = 0
  }

  private var waits: [Int: Wait] = [:]
  private var groups: [Wait.Target: Group] = [:]
  private var deadlines = IndexedHeap<Int, Duration>()
  private var last = 0

  /// How many are open.
  var count: Int { waits.count }

  /// The open wait with this number.
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
    // A dictionary keeps the room that it once had.
    if waits.isEmpty { waits = [:] }
    return wait
  }

  private mutating func leave(_ target: Wait.Target, _ number: Int) {
    // One that was taken has a lower number than any that asked since.
    guard let first = groups[target]?.numbers.first, number >= first else { return }
    guard var group = groups.removeValue(forKey: target) else { return }
    group.open -= 1
    guard group.open > 0 else { return }
    if group.numbers.count > 2 * group.open + 16 { group.numbers.removeAll { waits[$0] == nil } }
    groups[target] = group
  }

  /// Whether anybody waits for this.
  func isAwaited(_ target: Wait.Target) -> Bool { groups[target] != nil }

  /// The open waits for one thing, in the order of asking.
  func waiting(for target: Wait.Target) -> [(number: Int, wait: Wait)] {
    groups[target]?.numbers.compactMap { number in waits[number].map { (number, $0) } } ?? []
  }

  /// The waits for one thing, in the order of asking. They stay open, and are no longer found by what they wait for.
  mutating func take(_ target: Wait.Target) -> [Int] { groups.removeValue(forKey: target)?.numbers ?? [] }

  /// When the next wait's time is up.
  var nextDeadline: Duration? { deadlines.first?.value }

  /// The first wait whose time is up.
  func expired(at now: Duration) -> Int? {
    guard let (deadline, number) = deadlines.first, deadline <= now else { return nil }
    return number
  }

  /// All open waits, in the order of asking.
  var all: [(number: Int, wait: Wait)] { waits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
