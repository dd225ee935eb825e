internal import DequeModule

/// Shares a turn of the loop among the clients that have frames to be taken, so that nobody who sends without end keeps the others waiting.
///
/// A turn takes frames at a cost of `turnCost` altogether, and of one client at most its share of that; who has more waits in line for the next
/// turn. The cost of a frame is 1, and 1 more for each KiB of it.
struct FairTurns {
  /// What the frames of a turn may cost altogether: a few milliseconds.
  static let turnCost = 128

  private let most: Int
  private var waiting: Deque<Int> = []
  private var turn = 0
  private var spent = 0

  /// - Parameter most: what the frames of one client may cost in a turn in which nobody waits.
  init(most: Int) { self.most = most }

  /// What a frame of so many bytes costs.
  static func cost(ofBytes count: Int) -> Int { 1 + count / 1024 }

  /// Whether somebody waits.
  var isWaitedFor: Bool { !waiting.isEmpty }

  /// How many wait.
  var count: Int { waiting.count }

  /// What one client may spend now, in the turn of this number; 0 where the turn is used up.
  mutating func share(in turn: Int) -> Int {
    if turn != self.turn { (self.turn, spent) = (turn, 0) }
    let fair = min(most, max(4, Self.turnCost / (waiting.count + 1)))
    return max(0, min(fair, Self.turnCost - spent))
  }

  /// So much of the turn has been spent.
  mutating func spend(_ cost: Int) { spent += cost }

  /// A client waits for its next share, behind those who wait already.
  mutating func wait(_ client: Int) { waiting.append(client) }

  /// Whose share is next.
  mutating func next() -> Int? { waiting.popFirst() }
}
