import InitWire
import Testing

@testable import InitSupervisor

@Suite("WaitList")
struct WaitListTests {
  private func wait(_ target: Wait.Target, session: Int = 1) -> Wait {
    Wait(id: 1, session: session, target: target, timer: nil)
  }

  @Test("Waits are found by what they wait for, in the order of asking; those for states stand together")
  func kinds() {
    var list = WaitList()
    let numbers = [
      Wait.Target.states(.ready), .initializer("a"), .pass(3), .states(.launch), .quiet(cancelled: ["a"]),
      .initializer("b"), .states(.active), .quiet(cancelled: []),
    ].map { list.add(wait($0)) }
    func found(_ kind: WaitList.Kind) -> [Int] { list.waiting(for: kind).map(\.number) }
    #expect(found(.states) == [numbers[0], numbers[3], numbers[6]])
    #expect(found(.initializer("a")) == [numbers[1]])
    #expect(found(.initializer("c")).isEmpty)
    #expect(found(.pass(3)) == [numbers[2]])
    #expect(found(.quiet) == [numbers[4], numbers[7]])
    #expect(list.all.map(\.number) == numbers)
  }

  @Test("A wait is removed once; its number isn't given again")
  func removal() {
    var list = WaitList()
    let first = list.add(wait(.pass(1), session: 7))
    #expect(list.remove(first)?.session == 7)
    #expect(list.remove(first) == nil)
    #expect(list.all.isEmpty)
    #expect(list.add(wait(.pass(1))) != first)
  }

  @Test("Removing one of a kind leaves the others")
  func others() {
    var list = WaitList()
    let numbers = (0..<20).map { _ in list.add(wait(.initializer("a"))) }
    for number in numbers where number % 2 == 0 { _ = list.remove(number) }
    #expect(list.waiting(for: .initializer("a")).map(\.number) == numbers.filter { $0 % 2 != 0 })
  }
}
