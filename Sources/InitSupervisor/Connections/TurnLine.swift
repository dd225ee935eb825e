internal import Libuv

/// The queue of clients that wait for their share of a turn. It requests turns from the loop for them.
final class TurnLine: Part {
  let core: Core
  private var turns: FairTurns
  /// Called with a client's number and the minimum cost that it may spend, when it is its turn.
  var onTurn: (Int, _ least: Int) -> Void = { _, _ in }

  init(_ core: Core) {
    self.core = core
    turns = FairTurns(most: core.configuration.limits.framesPerTurn)
  }

  /// The cost that one client may spend now.
  var share: Int { turns.share(in: loop.turn) }

  /// The cost spent in the turn so far.
  var spent: Int { turns.spent }

  /// Whether a client waits.
  var isWaited: Bool { turns.isWaited }

  /// Whether this client waits.
  func isWaiting(_ client: Int) -> Bool { turns.isWaiting(client) }

  /// Adds a cost to the turn.
  func spend(_ cost: Int) { turns.spend(cost) }

  /// Adds the cost of a frame or an answer with this size, whose work began at `start`.
  func spend(bytes: Int, since start: Duration) { spend(FairTurns.cost(ofBytes: bytes, taking: loop.now - start)) }

  /// Queues a client for its next share; a heavy one recently spent more than the cost of a turn.
  func wait(_ client: Int, isHeavy: Bool) {
    turns.wait(client, isHeavy: isHeavy)
    ask()
  }

  private func ask() {
    if turns.ask() { loop.nextTurn { [weak self] in self?.shareTurn() } }
  }

  /// Gives the waiting clients their shares of this turn, in order; a client with more to do waits for the next turn.
  private func shareTurn() {
    turns.come()
    for _ in 0..<turns.count where share > 0 {
      if let client = turns.next() { onTurn(client, 0) }
    }
    // One expensive client is served in each turn, so that cheap ones can't delay it forever.
    if let client = turns.nextHeavy() { onTurn(client, 1) }
    ask()
  }
}
