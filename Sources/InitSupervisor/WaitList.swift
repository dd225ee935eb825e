internal import InitWire
internal import Libuv

/// A request that is answered once something has come to pass.
struct Wait {
  /// What has to come to pass.
  enum Target: Hashable {
    case states(States)
    case initializer(String)
    case pass(Int)
    /// No run of an active pass is stopping; what a deactivation cancelled, for its answer.
    case quiet(cancelled: [String])

    /// Those of the targets that are states.
    enum States: Hashable { case ready, launch, active, composite }
  }

  let id: RequestID
  let session: Int
  let target: Target
  /// Whether it waits for an initializer that nobody has declared.
  var mayAppear = false
  /// Its timeout, if it has one.
  let timer: Libuv.Timer?
}

/// The open waits, found by what they wait for; each list in the order of asking.
struct WaitList {
  private var waits: [Int: Wait] = [:]
  private var byKind: [Kind: Set<Int>] = [:]
  private var next = 0

  /// Waits for any state stand together: they are looked at together.
  enum Kind: Hashable {
    case states
    case initializer(String)
    case pass(Int)
    case quiet

    init(_ target: Wait.Target) {
      switch target {
      case .states: self = .states
      case .initializer(let name): self = .initializer(name)
      case .pass(let number): self = .pass(number)
      case .quiet: self = .quiet
      }
    }
  }

  /// Adds a wait and returns the number by which it is removed.
  mutating func add(_ wait: Wait) -> Int {
    next += 1
    waits[next] = wait
    byKind[Kind(wait.target), default: []].insert(next)
    return next
  }

  /// Removes a wait, if it is still open.
  mutating func remove(_ number: Int) -> Wait? {
    guard let wait = waits.removeValue(forKey: number) else { return nil }
    let kind = Kind(wait.target)
    byKind[kind]?.remove(number)
    if byKind[kind]?.isEmpty == true { byKind[kind] = nil }
    // A dictionary keeps the room that it once had.
    if waits.isEmpty { waits = [:] }
    return wait
  }

  /// The open waits of a kind, in the order of asking.
  func waiting(for kind: Kind) -> [(number: Int, wait: Wait)] {
    guard let numbers = byKind[kind] else { return [] }
    return numbers.sorted().compactMap { number in waits[number].map { (number, $0) } }
  }

  /// All open waits, in the order of asking.
  var all: [(number: Int, wait: Wait)] { waits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
