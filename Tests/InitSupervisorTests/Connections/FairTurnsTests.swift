import Testing

@testable import InitSupervisor

@Suite("FairTurns")
struct FairTurnsTests {
  @Test("A single client gets the maximum share in each turn")
  func alone() {
    var turns = FairTurns(most: 64)
    #expect(turns.share(in: 1) == 64)
    turns.spend(64)
    turns.wait(7)
    #expect(turns.share(in: 2) == 64)
    #expect(turns.next() == 7)
    #expect(turns.next() == nil)
  }

  @Test("The cost of a turn is bounded, regardless of which clients wait")
  func bounded() {
    var turns = FairTurns(most: 64)
    var spent = 0
    for _ in 0..<100 {
      let share = turns.share(in: 1)
      turns.spend(share)
      spent += share
    }
    #expect(spent == FairTurns.turnCost)
    #expect(turns.share(in: 1) == 0)
    #expect(turns.share(in: 2) == 64)
  }

  @Test("The more clients wait, the smaller their shares, but none is zero")
  func crowd() {
    var turns = FairTurns(most: 64)
    for client in 0..<31 { turns.wait(client) }
    #expect(turns.share(in: 1) == FairTurns.turnCost / 32)
    for client in 0..<1000 { turns.wait(client) }
    #expect(turns.share(in: 1) == 4)
    #expect((0..<3).map { _ in turns.next() } == [0, 1, 2])
  }

  @Test("Fifty clients with sixteen small frames each are served in one turn")
  func smallFrames() {
    var turns = FairTurns(most: 64)
    for client in 0..<50 { turns.wait(client) }
    while turns.next() != nil {
      for _ in 0..<16 {
        #expect(turns.share(in: 1) > 0)
        turns.spend(FairTurns.cost(ofBytes: 56, taking: .microseconds(2)))
      }
    }
    #expect(turns.spent == 50 * 16)
  }

  @Test("A client that spent more than a turn's cost waits in a separate queue")
  func heavy() {
    var turns = FairTurns(most: 64)
    turns.wait(1, isHeavy: true)
    turns.wait(2)
    #expect(turns.count == 1)
    #expect(turns.next() == 2)
    #expect(turns.next() == nil)
    #expect(turns.isWaiting(1))
    #expect(turns.nextHeavy() == 1)
    #expect(!turns.isWaiting(1))
  }

  @Test("A turn is requested once until it comes, and only if a client waits")
  func ask() {
    var turns = FairTurns(most: 64)
    #expect(turns.ask() == false)
    turns.wait(1)
    #expect(turns.ask() == true)
    turns.wait(2)
    #expect(turns.ask() == false, "it was asked for")
    turns.come()
    #expect(turns.next() == 1)
    #expect(turns.ask() == true, "the second waits still")
    turns.come()
    #expect(turns.next() == 2)
    #expect(turns.ask() == false, "nobody waits")
  }

  @Test("A waiting client has one place in the queue, its first one")
  func onePlace() {
    var turns = FairTurns(most: 64)
    for client in [1, 2, 1] { turns.wait(client) }
    turns.wait(2, isHeavy: true)
    #expect((0..<3).map { _ in turns.next() } == [1, 2, nil])
    #expect(turns.nextHeavy() == nil)
    turns.wait(1)
    #expect(turns.next() == 1, "it was served, and may wait again")
  }

  @Test("Each turn reduces a debt by a turn's cost")
  func debt() {
    var debt = FairTurns.Debt()
    debt.add(FairTurns.turnCost, in: 10)
    #expect(!debt.isHeavy(in: 10))
    debt.add(3 * FairTurns.turnCost, in: 10)
    #expect(debt.isHeavy(in: 12))
    #expect(!debt.isHeavy(in: 13))
    debt.add(2, in: 1000)
    #expect(!debt.isHeavy(in: 1000), "nothing is left of it")
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
