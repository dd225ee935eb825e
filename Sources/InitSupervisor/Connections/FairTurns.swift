internal import DequeModule

/// Shares a turn of the loop among the clients that have frames to be taken, so that nobody who sends without end, or asks for much, keeps the
/// others waiting.
///
/// A turn takes frames at a cost of `turnCost` altogether, and of one client at most its share of that; who has more waits in line for the next
/// turn. A frame or an answer costs 1 for each KiB of it, or 1 for each 32 µs that it took, if that is more. What one costs is known only afterwards:
/// a client that got more than a turn's worth waits in a line of its own for a while, of which each turn serves one.
struct FairTurns {
  /// What the frames and answers of a turn may cost altogether: a few milliseconds.
  static let turnCost = 128

  /// What a client has spent lately: a turn's worth is forgiven with each turn that passes.
  struct Debt {
    private var amount = 0
    private var turn = 0

    /// Whether it is more than a turn's worth.
    func isHeavy(in turn: Int) -> Bool { amount - (turn - self.turn) * FairTurns.turnCost > FairTurns.turnCost }

    /// So much more has been spent.
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
  /// What has been spent of the turn.
  private(set) var spent = 0

  /// - Parameter most: what the frames of one client may cost in a turn in which nobody waits.
  init(most: Int) { self.most = most }

  /// What a frame or an answer of so many bytes costs that took so long.
  static func cost(ofBytes count: Int, taking time: Duration = .zero) -> Int {
    max(1 + count / 1024, Int(time / unit))
  }

  /// How long what costs 1 takes at most.
  private static let unit = Duration.microseconds(32)

  /// Whether anybody waits for a share.
  var isWaited: Bool { !inLine.isEmpty }

  /// Whether the loop has to be asked for a turn for those who wait: once, until that has come.
  mutating func ask() -> Bool {
    guard !inLine.isEmpty, !isAskedFor else { return false }
    isAskedFor = true
    return true
  }

  /// The turn that was asked for has come.
  mutating func come() { isAskedFor = false }

  /// Whether a client waits for its next share.
  func isWaiting(_ client: Int) -> Bool { inLine.contains(client) }

  /// How many wait who don't take long.
  var count: Int { waiting.count }

  /// What one client may spend now, in the turn of this number; 0 where the turn is used up.
  mutating func share(in turn: Int) -> Int {
    if turn != self.turn { (self.turn, spent) = (turn, 0) }
    let fair = min(most, max(4, Self.turnCost / (waiting.count + 1)))
    return max(0, min(fair, Self.turnCost - spent))
  }

  /// So much of the turn has been spent.
  mutating func spend(_ cost: Int) { spent += cost }

  /// A client waits for its next share, behind those who wait already; who waits already keeps its place.
  mutating func wait(_ client: Int, isHeavy: Bool = false) {
    guard inLine.insert(client).inserted else { return }
    if isHeavy { heavy.append(client) } else { waiting.append(client) }
  }

  /// Whose share is next.
  mutating func next() -> Int? { served(waiting.popFirst()) }

  /// Whose share is next of those who take long.
  mutating func nextHeavy() -> Int? { served(heavy.popFirst()) }

  private mutating func served(_ client: Int?) -> Int? {
    if let client { inLine.remove(client) }
    return client
  }
}
