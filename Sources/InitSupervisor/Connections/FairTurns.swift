internal import DequeModule

/// Shares a turn of the loop among the clients with pending frames, so that a client that floods, or makes expensive requests, doesn't
/// delay the others.
///
/// A turn takes frames with a total cost of `turnCost`, and from each client at most its share; the rest waits in a queue for the next
/// turn. A frame or an answer costs 1 per 128 bytes, or 1 per 4 µs of work, whichever is more. The cost is known only afterwards: a client
/// that spent more than a turn's cost waits in a second queue for a while; each turn serves one client of that queue.
struct FairTurns {
  /// The total cost of frames and answers per turn: a few milliseconds.
  static let turnCost = 1024

  /// A client's recent cost; each turn reduces it by a turn's cost.
  struct Debt {
    private var amount = 0
    private var turn = 0

    /// Whether it exceeds a turn's cost.
    func isHeavy(in turn: Int) -> Bool { amount - (turn - self.turn) * FairTurns.turnCost > FairTurns.turnCost }

    /// Adds a cost.
    mutating func add(_ cost: Int, in turn: Int) {
      amount = max(0, amount - (turn - self.turn) * FairTurns.turnCost) + cost
      self.turn = turn
    }
  }

  private let most: Int
  private var waiting: Deque<Int> = []
  private var heavy: Deque<Int> = []
  private var inLine: Set<Int> = []
  private var isAskedFor = false
  private var turn = 0
  /// The cost spent in the turn so far.
  private(set) var spent = 0

  /// - Parameter most: the maximum cost per client in a turn in which no other client waits.
  init(most: Int) { self.most = most }

  /// The cost of a frame or an answer with this size and duration.
  static func cost(ofBytes count: Int, taking time: Duration = .zero) -> Int {
    max(1 + count / 128, time < unit ? 0 : Int(time / unit))
  }

  /// The duration that costs 1.
  private static let unit = Duration.microseconds(4)

  /// Whether a client waits for its share.
  var isWaited: Bool { !inLine.isEmpty }

  /// Whether a turn must be requested from the loop for waiting clients: once, until it comes.
  mutating func ask() -> Bool {
    guard !inLine.isEmpty, !isAskedFor else { return false }
    isAskedFor = true
    return true
  }

  /// The requested turn has come.
  mutating func come() { isAskedFor = false }

  /// Whether a client waits for its next share.
  func isWaiting(_ client: Int) -> Bool { inLine.contains(client) }

  /// How many cheap clients wait.
  var count: Int { waiting.count }

  /// The cost that one client may spend now, in the turn of this number; 0 if the turn is used up.
  mutating func share(in turn: Int) -> Int {
    if turn != self.turn { (self.turn, spent) = (turn, 0) }
    let fair = min(most, max(4, Self.turnCost / (waiting.count + 1)))
    return max(0, min(fair, Self.turnCost - spent))
  }

  /// Adds a cost to the turn.
  mutating func spend(_ cost: Int) { spent += cost }

  /// Queues a client for its next share; if it already waits, it keeps its place.
  mutating func wait(_ client: Int, isHeavy: Bool = false) {
    guard inLine.insert(client).inserted else { return }
    if isHeavy { heavy.append(client) } else { waiting.append(client) }
  }

  /// The client whose share is next.
  mutating func next() -> Int? { served(waiting.popFirst()) }

  /// The next client among the expensive ones.
  mutating func nextHeavy() -> Int? { served(heavy.popFirst()) }

  private mutating func served(_ client: Int?) -> Int? {
    if let client { inLine.remove(client) }
    return client
  }
}
