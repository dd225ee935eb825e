internal import Libuv

/// The clients that wait for a share of a turn, and the loop that is asked for turns for them.
final class TurnLine: Part {
  let core: Core
  private var turns: FairTurns
  private var debts: [Int: FairTurns.Debt] = [:]
  /// A client has its turn: by its number, and what it may spend at least.
  var onTurn: (Int, _ least: Int) -> Void = { _, _ in }

  init(_ core: Core) {
    self.core = core
    turns = FairTurns(most: core.configuration.limits.framesPerTurn)
  }

  /// What one client may spend now.
  var share: Int { turns.share(in: loop.turn) }

  /// What has been spent of the turn.
  var spent: Int { turns.spent }

  /// Whether anybody waits.
  var isWaited: Bool { turns.isWaited }

  /// Whether a client waits.
  func isWaiting(_ client: Int) -> Bool { turns.isWaiting(client) }

  /// So much of the turn has been spent.
  func spend(_ cost: Int) { turns.spend(cost) }

  /// A frame or an answer of so many bytes was made, which has taken since `start`.
  func spend(bytes: Int, since start: Duration) { spend(FairTurns.cost(ofBytes: bytes, taking: loop.now - start)) }

  /// So much of what has been spent was one client's.
  func charge(_ cost: Int, to client: Int) { debts[client, default: FairTurns.Debt()].add(cost, in: loop.turn) }

  /// Whether a client has spent more than a turn's worth lately.
  func isHeavy(_ client: Int) -> Bool { debts[client]?.isHeavy(in: loop.turn) == true }

  /// A client waits for its next share.
  func wait(_ client: Int) {
    turns.wait(client, isHeavy: isHeavy(client))
    ask()
  }

  /// A client is gone.
  func forget(_ client: Int) { debts[client] = nil }

  private func ask() {
    if turns.ask() { loop.nextTurn { [weak self] in self?.shareTurn() } }
  }

  /// Those who wait have their shares of this turn, in line; who has more to say after that waits for the next.
  private func shareTurn() {
    turns.come()
    for _ in 0..<turns.count where share > 0 {
      if let client = turns.next() { onTurn(client, 0) }
    }
    // One of those who take long has its turn in any case: who is asked for little mustn't keep it waiting for ever.
    if let client = turns.nextHeavy() { onTurn(client, 1) }
    ask()
  }
}
