internal import EventLoop

/// The queue of clients that wait for their share of a turn.
///
/// The line requests turns from the loop for these clients.
final class TurnLine {
  private var turns: FairTurns
  private let loop: Loop
  private let delegate: any ServerDelegate
  /// The connections, which own this line.
  weak var connections: Connections?

  init(_ context: ServerContext, delegate: any ServerDelegate) {
    loop = context.loop
    self.delegate = delegate
    turns = FairTurns(most: context.limits.framesPerTurn)
  }

  /// Returns the cost that one client of this user may spend now.
  func share(of client: Outgoing) -> Int { turns.share(of: client.user, in: loop.turn) }

  /// The cost spent in the turn so far.
  var spent: Int { turns.spent }

  /// Whether the turn is used up.
  var isUsedUp: Bool { turns.left(in: loop.turn) == 0 }

  /// Returns whether this client waits.
  func isWaiting(_ client: Int) -> Bool { turns.isWaiting(client) }

  /// Returns whether a client must wait for its turn even if there is room in this one.
  func isHeavy(_ client: Outgoing) -> Bool {
    // Most users have no debt; then the rank of the client doesn't matter.
    query { $0.isHeavy(FairTurns.Client(id: client.id, user: client.user, rank: .other), at: loop.now) }
      && rank(of: client) == .other
  }

  /// Queries the turns, and passes them inout: otherwise the compiler copies the property for each frame.
  private func query<Value>(_ query: (inout FairTurns) -> Value) -> Value { query(&turns) }

  private func rank(of client: Outgoing) -> FairTurns.Rank {
    client.isOwn || delegate.isAwaited(client.id) ? .first : .other
  }

  /// Adds a cost of a client to the turn.
  func spend(_ cost: Int, of client: Outgoing) { turns.spend(cost, of: client.user, at: loop.now) }

  /// Adds the cost of a client's frame or answer with this size, whose work began at `start`.
  func spend(bytes: Int, since start: Duration, of client: Outgoing) {
    let now = loop.now
    turns.spend(FairTurns.cost(ofBytes: bytes, taking: now - start), of: client.user, at: now)
  }

  /// Queues a client for its next share.
  func wait(_ client: Outgoing) {
    turns.wait(FairTurns.Client(id: client.id, user: client.user, rank: rank(of: client)))
    ask()
  }

  private func ask() {
    if turns.ask() { loop.nextTurn { [weak self] in self?.shareTurn() } }
  }

  /// Gives the waiting clients their shares of this turn, in order; a client with more to do waits for the next turn.
  private func shareTurn() {
    turns.come()
    for _ in 0..<turns.count where !isUsedUp {
      guard let client = turns.next(at: loop.now) else { break }
      // An answer of others must not wait for this client's, which may take milliseconds.
      loop.writeGathered()
      connections?.resume(client, atLeast: 0)
    }
    if let client = turns.longestWaiting() {
      loop.writeGathered()
      connections?.resume(client, atLeast: 1)
    }
    ask()
  }
}
