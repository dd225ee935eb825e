import Testing

@testable import InitServer

@Suite("FairTurns")
struct FairTurnsTests {
  /// A client whose user has the number of its hundreds.
  private func client(_ id: Int, _ rank: FairTurns.Rank = .other) -> FairTurns.Client {
    FairTurns.Client(id: id, user: UInt32(id / 100), rank: rank)
  }

  /// All clients that wait, in the order in which they are served.
  private func order(_ turns: inout FairTurns, at now: Duration = .zero) -> [Int] {
    var order: [Int] = []
    while let next = turns.next(at: now) { order.append(next) }
    return order
  }

  @Test("A single client gets the maximum share in each turn")
  func alone() {
    var turns = FairTurns(most: 64)
    #expect(turns.share(of: 0, in: 1) == 64)
    turns.spend(64, of: 0, at: .zero)
    turns.wait(client(7))
    #expect(turns.share(of: 1, in: 2) == 64)
    #expect(order(&turns) == [7])
  }

  @Test("The cost of a turn is bounded, regardless of which clients wait")
  func bounded() {
    var turns = FairTurns(most: 64)
    var spent = 0
    for user in 0..<100 as Range<UInt32> {
      let share = turns.share(of: user, in: 1)
      turns.spend(share, of: user, at: .zero)
      spent += share
    }
    #expect(spent == FairTurns.turnCost)
    #expect(turns.left(in: 1) == 0)
    #expect(turns.share(of: 0, in: 1) == 0)
    #expect(turns.share(of: 0, in: 2) == 64)
  }

  @Test("The more clients of a user wait, the smaller their shares, but none is zero")
  func crowd() {
    var turns = FairTurns(most: 64)
    for id in 0..<31 { turns.wait(client(id)) }
    #expect(turns.share(of: 0, in: 1) == FairTurns.turnCost / 32)
    #expect(turns.share(of: 1, in: 1) == 64, "a client of another user shares with one user, not with 31 clients")
    for id in 31..<100 { turns.wait(client(id)) }
    for id in 1000..<1200 { turns.wait(client(id)) }
    #expect(turns.share(of: 0, in: 1) == 4)
  }

  @Test("Fifty clients with sixteen small frames each are served in one turn")
  func smallFrames() {
    var turns = FairTurns(most: 64)
    for id in 0..<50 { turns.wait(client(id)) }
    while turns.next(at: .zero) != nil {
      for _ in 0..<16 {
        #expect(turns.share(of: 0, in: 1) > 0)
        turns.spend(FairTurns.cost(ofBytes: 56, taking: .microseconds(2)), of: 0, at: .zero)
      }
    }
    #expect(turns.spent == 50 * 16)
  }

  @Test("A user's client is next before 99 clients of a user with a larger debt, however long these have waited")
  func leastDebtFirst() {
    var turns = FairTurns(most: 64)
    turns.spend(10, of: 1, at: .zero)
    for id in 100..<199 { turns.wait(client(id)) }
    turns.wait(client(200))
    #expect(turns.next(at: .zero) == 200)
    #expect(turns.next(at: .zero) == 100)
  }

  @Test("Users that spend the same alternate, however many clients each has")
  func alternate() {
    var turns = FairTurns(most: 64)
    for id in 100..<110 { turns.wait(client(id)) }
    for id in 200..<202 { turns.wait(client(id)) }
    var order: [Int] = []
    while let next = turns.next(at: .zero) {
      order.append(next)
      turns.spend(5, of: UInt32(next / 100), at: .zero)
    }
    #expect(order.prefix(5) == [100, 200, 101, 201, 102])
  }

  @Test("A new connection doesn't reset its user's debt")
  func reconnected() {
    var turns = FairTurns(most: 64)
    turns.wait(client(100))
    _ = turns.next(at: .zero)
    turns.spend(2 * FairTurns.turnCost, of: 1, at: .zero)
    #expect(turns.isHeavy(client(101), at: .zero))
    #expect(!turns.isHeavy(client(200), at: .zero))
  }

  @Test("Clients of the first rank come first even if their user has a debt, and are never heavy")
  func firstRank() {
    var turns = FairTurns(most: 64)
    turns.spend(FairTurns.largestDebt, of: 1, at: .zero)
    _ = turns.left(in: 1)
    turns.wait(client(200))
    turns.wait(client(100))
    turns.wait(client(101, .first))
    #expect(!turns.isHeavy(client(101, .first), at: .zero))
    #expect(turns.isHeavy(client(100), at: .zero))
    #expect(order(&turns) == [101, 200, 100])
  }

  @Test("The client that has waited longest is found, whatever its user's debt")
  func longestWaiting() {
    var turns = FairTurns(most: 64)
    turns.spend(FairTurns.largestDebt, of: 1, at: .zero)
    turns.wait(client(100))
    turns.wait(client(200, .first))
    #expect(turns.longestWaiting() == 100)
    #expect(turns.longestWaiting() == 200)
    #expect(turns.longestWaiting() == nil)
  }

  @Test("Heavy clients use a quarter of a turn, others all of it")
  func heavyTurn() {
    var turns = FairTurns(most: 64)
    turns.spend(FairTurns.largestDebt, of: 1, at: .zero)
    #expect(turns.left(in: 1) == FairTurns.turnCost, "a new turn")
    for id in [100, 101, 102, 103, 104, 200, 300] { turns.wait(client(id, id == 103 || id == 104 ? .first : .other)) }
    #expect(turns.next(at: .zero) == 103)
    turns.spend(FairTurns.heavyCost - 1, of: 1, at: .zero)
    #expect(turns.next(at: .zero) == 104, "its rank is higher")
    #expect(turns.next(at: .zero) == 200)
    #expect(turns.next(at: .zero) == 300)
    #expect(turns.next(at: .zero) == 100)
    turns.spend(1, of: 1, at: .zero)
    #expect(turns.next(at: .zero) == nil)
    #expect(turns.isWaiting(101) && turns.isWaiting(102))
    _ = turns.left(in: 2)
    #expect(turns.next(at: .zero) == 101)
  }

  @Test("The client that has waited longest is found only if its user wasn't served in this turn")
  func longestWaitingOfServedUser() {
    var turns = FairTurns(most: 64)
    turns.spend(FairTurns.largestDebt, of: 1, at: .zero)
    for id in [100, 101, 200] { turns.wait(client(id)) }
    turns.come()
    #expect(turns.next(at: .zero) == 200)
    #expect(turns.longestWaiting() == 100, "only another user was served")
    #expect(turns.longestWaiting() == nil, "this user was served, too")
    turns.come()
    #expect(turns.longestWaiting() == 101)
  }

  @Test("A turn is requested once until it comes, and only if a client waits")
  func ask() {
    var turns = FairTurns(most: 64)
    #expect(turns.ask() == false)
    turns.wait(client(1))
    #expect(turns.ask() == true)
    turns.wait(client(2))
    #expect(turns.ask() == false, "it was asked for")
    turns.come()
    #expect(turns.next(at: .zero) == 1)
    #expect(turns.ask() == true, "the second waits still")
    turns.come()
    #expect(turns.next(at: .zero) == 2)
    #expect(turns.ask() == false, "nobody waits")
  }

  @Test("A waiting client has one place in the queue, its first one")
  func onePlace() {
    var turns = FairTurns(most: 64)
    for id in [1, 2, 1] { turns.wait(client(id)) }
    turns.wait(client(2, .first))
    #expect(turns.count == 2)
    #expect(turns.isWaiting(1))
    #expect(order(&turns) == [1, 2])
    #expect(!turns.isWaiting(1))
    turns.wait(client(1))
    #expect(order(&turns) == [1], "it was served, and may wait again")
  }

  @Test("A debt shrinks by a quarter of the time that passes, and is at most a second")
  func debt() {
    var turns = FairTurns(most: 64)
    turns.spend(2 * FairTurns.turnCost, of: 1, at: .seconds(1))
    #expect(turns.debt(of: 1, at: .seconds(1)) == 2 * FairTurns.turnCost)
    let turn = Duration.microseconds(4) * FairTurns.turnCost
    #expect(turns.isHeavy(client(100), at: .seconds(1) + turn * 3))
    #expect(!turns.isHeavy(client(100), at: .seconds(1) + turn * 4))
    turns.spend(1, of: 1, at: .seconds(100))
    #expect(turns.debt(of: 1, at: .seconds(100)) == 1, "nothing is left of it")
    turns.spend(100 * FairTurns.largestDebt, of: 1, at: .seconds(100))
    #expect(turns.debt(of: 1, at: .seconds(100)) == FairTurns.largestDebt)
  }

  @Test("Debts that have been paid off are forgotten, so that memory doesn't grow with the number of users")
  func forgotten() {
    var turns = FairTurns(most: 64)
    for user in 0..<10_000 as Range<UInt32> { turns.spend(1, of: user, at: .seconds(Int(user))) }
    #expect(turns.debts.count <= 65)
  }

  @Test("A large frame costs as much as many small ones of the same total size")
  func cost() {
    #expect(FairTurns.cost(ofBytes: 45) == 1)
    #expect(FairTurns.cost(ofBytes: 1 << 20) == 8193)
  }

  @Test("Slow work costs as much as its time, even if it is small")
  func time() {
    #expect(FairTurns.cost(ofBytes: 45, taking: .microseconds(7)) == 1)
    #expect(FairTurns.cost(ofBytes: 45, taking: .milliseconds(32)) == 8000)
    #expect(FairTurns.cost(ofBytes: 1 << 20, taking: .milliseconds(1)) == 8193)
  }
}
