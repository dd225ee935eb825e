import Testing

@testable import InitSupervisor

@Suite("FairTurns")
struct FairTurnsTests {
  @Test("One client alone has the most that one may have, in each turn anew")
  func alone() {
    var turns = FairTurns(most: 64)
    #expect(turns.share(in: 1) == 64)
    turns.spend(64)
    turns.wait(7)
    #expect(turns.share(in: 2) == 64)
    #expect(turns.next() == 7)
    #expect(turns.next() == nil)
  }

  @Test("A turn costs no more than its bound, whoever asks")
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

  @Test("The more wait, the smaller the shares, and none is nothing")
  func crowd() {
    var turns = FairTurns(most: 64)
    for client in 0..<15 { turns.wait(client) }
    #expect(turns.share(in: 1) == FairTurns.turnCost / 16)
    for client in 0..<1000 { turns.wait(client) }
    #expect(turns.share(in: 1) == 4)
    #expect((0..<3).map { _ in turns.next() } == [0, 1, 2])
  }

  @Test("A large frame costs what many small ones do")
  func cost() {
    #expect(FairTurns.cost(ofBytes: 45) == 1)
    #expect(FairTurns.cost(ofBytes: 1 << 20) == 1025)
  }
}
