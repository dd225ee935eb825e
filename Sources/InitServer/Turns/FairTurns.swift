internal import DequeModule

/// Shares the turns of the loop among the users whose clients have pending frames or answers.
///
/// A user that floods, or makes expensive requests, doesn't delay the others, regardless of the number of connections.
///
/// Terms. A *cost* of 1 is 4 µs of work, or 128 bytes of a message, whichever is more. A user's *debt* is the cost of the user's clients, less
/// a quarter of the time that has passed since: a user whose clients take less than a quarter of the loop's time has none. It belongs to the
/// user, so a new connection doesn't reset it.
///
/// Rules:
/// 1. A turn costs at most `turnCost`, unless a single frame or answer costs more. Heavy clients may use at most `heavyCost` of it:
///    messages of other users, and room for answers to them, are noticed between turns.
/// 2. Clients of rank `first` come before the others. Then comes the user with the least debt, then the client that has waited longest.
/// 3. Still, each turn serves a client of the user whose client has waited longest, so no client waits indefinitely.
struct FairTurns {
  /// Decides which clients come first.
  enum Rank: Int, Comparable {
    /// Clients of root and of the supervisor's own user, and clients whose messages a run or a lease waits for.
    case first
    case other

    static func < (one: Rank, two: Rank) -> Bool { one.rawValue < two.rawValue }
  }

  /// A client, as far as turns are concerned.
  struct Client: Equatable {
    let id: Int
    let user: UInt32
    let rank: Rank
  }

  /// The total cost of frames and answers per turn: a few milliseconds.
  static let turnCost = 1024
  /// The cost in a turn beyond which heavy clients wait for the next turn.
  static let heavyCost = turnCost / 4
  /// The largest debt, about a second of work: it is forgotten within four.
  static let largestDebt = 256 * turnCost
  /// The duration that costs 1, in attoseconds.
  private static let unit: Int128 = 4_000_000_000_000
  /// The ratio of the time that a debt takes to shrink to the time that it took to grow.
  private static let shrinking = 4
  /// The number of debts that are kept.
  ///
  /// Beyond this number, debts that have shrunk to nothing are removed.
  private static let keptDebts = 64

  struct Debt {
    var cost: Int
    let since: Duration

    func cost(at now: Duration) -> Int { max(0, cost - FairTurns.units(now - since) / FairTurns.shrinking) }
  }

  /// The clients of a user and rank that wait, each with its number in the order of arrival.
  private struct Line {
    let user: UInt32
    let rank: Rank
    var clients: Deque<(client: Client, number: Int)>
  }

  private let most: Int
  private var lines: [Line] = []
  private var inLine: Set<Int> = []
  /// The users whose clients were served in the turn so far.
  private var served: Set<UInt32> = []
  private(set) var debts: [UInt32: Debt] = [:]
  private var arrivals = 0
  private var isAskedFor = false
  private var turn = 0
  /// The cost spent in the turn so far.
  private(set) var spent = 0

  /// - Parameter most: the maximum cost per client in a turn in which no other client waits.
  init(most: Int) { self.most = most }

  /// Returns the cost of a frame or an answer with this size and duration.
  static func cost(ofBytes count: Int, taking time: Duration = .zero) -> Int {
    max(1 + count / 128, units(time))
  }

  /// Returns the cost of work of this duration.
  static func units(_ time: Duration) -> Int { Int(max(0, time.attoseconds) / unit) }

  /// Returns whether the loop must be asked for a turn for waiting clients: once, until the turn comes.
  mutating func ask() -> Bool {
    guard !inLine.isEmpty, !isAskedFor else { return false }
    isAskedFor = true
    return true
  }

  /// Records the start of the requested turn.
  mutating func come() {
    isAskedFor = false
    served.removeAll(keepingCapacity: true)
  }

  /// Returns whether a client waits for its next share.
  func isWaiting(_ client: Int) -> Bool { inLine.contains(client) }

  /// The number of clients that wait.
  var count: Int { inLine.count }

  /// Returns the cost that is left in the turn of this number.
  mutating func left(in turn: Int) -> Int {
    if turn != self.turn {
      self.turn = turn
      spent = 0
    }
    return max(0, Self.turnCost - spent)
  }

  /// Returns the cost that one client of this user may spend now, in the turn of this number; 0 if the turn is used up.
  mutating func share(of user: UInt32, in turn: Int) -> Int {
    let left = left(in: turn)
    var others = 0
    var own = 0
    for line in lines { if line.user == user { own += line.clients.count } else { others += 1 } }
    return min(most, max(4, Self.turnCost / (own + 1) / (others + 1)), left)
  }

  /// Adds a cost to the turn, and to the user's debt.
  mutating func spend(_ cost: Int, of user: UInt32, at now: Duration) {
    spent += cost
    debts[user] = Debt(cost: min(Self.largestDebt, debt(of: user, at: now) + cost), since: now)
    if debts.count > Self.keptDebts { debts = debts.filter { $1.cost(at: now) > 0 } }
  }

  /// Returns the user's debt.
  func debt(of user: UInt32, at now: Duration) -> Int { debts[user]?.cost(at: now) ?? 0 }

  /// Returns whether a client must wait for its turn even if there is room in this one: it isn't of the first rank, and its user has a debt
  /// of more than a turn.
  func isHeavy(_ client: Client, at now: Duration) -> Bool {
    client.rank == .other && debt(of: client.user, at: now) > Self.turnCost
  }

  /// Queues a client for its next share; if it already waits, it keeps its position.
  mutating func wait(_ client: Client) {
    guard inLine.insert(client.id).inserted else { return }
    arrivals += 1
    if let index = lines.firstIndex(where: { $0.user == client.user && $0.rank == client.rank }) {
      lines[index].clients.append((client, arrivals))
    } else {
      lines.append(Line(user: client.user, rank: client.rank, clients: [(client, arrivals)]))
    }
  }

  /// Removes and returns the client whose share is next, if there is one in this turn (rules 1 and 2).
  mutating func next(at now: Duration) -> Int? {
    let index = lines.indices.min {
      let one = lines[$0]
      let two = lines[$1]
      return (one.rank, debt(of: one.user, at: now), one.clients[0].number)
        < (two.rank, debt(of: two.user, at: now), two.clients[0].number)
    }
    guard let index, spent < Self.heavyCost || !isHeavy(lines[index].clients[0].client, at: now) else { return nil }
    return removeFirst(index)
  }

  /// Removes and returns the client that has waited longest, if none of its user's was served in this turn (rule 3).
  mutating func longestWaiting() -> Int? {
    let index = lines.indices.min { lines[$0].clients[0].number < lines[$1].clients[0].number }
    return removeFirst(index.flatMap { served.contains(lines[$0].user) ? nil : $0 })
  }

  private mutating func removeFirst(_ index: Int?) -> Int? {
    guard let index else { return nil }
    let client = lines[index].clients.removeFirst().client
    served.insert(client.user)
    if lines[index].clients.isEmpty { lines.remove(at: index) }
    inLine.remove(client.id)
    return client.id
  }
}
