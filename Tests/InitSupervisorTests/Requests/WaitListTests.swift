import InitModel
import InitWire
import InitWords
import Testing

@testable import InitSupervisor

@Suite("WaitList")
struct WaitListTests {
  private func wait(_ target: Wait.Target, session: Int = 1, until deadline: Duration? = nil) -> Wait {
    Wait(id: 1, session: session, target: target, deadline: deadline)
  }

  @Test("Waits are found by their target, in the order of their requests")
  func targets() {
    var list = WaitList()
    let targets: [Wait.Target] = [
      .asked(.ready), .asked(.initializer("a")), .asked(.pass(3)), .asked(.ready), .quiet, .asked(.initializer("b")),
      .asked(.active),
      .quiet,
    ]
    let numbers = targets.map { list.add(wait($0)) }
    func found(_ target: Wait.Target) -> [Int] { list.waiting(for: target).map(\.number) }
    #expect(found(.asked(.ready)) == [numbers[0], numbers[3]])
    #expect(found(.asked(.active)) == [numbers[6]])
    #expect(found(.asked(.initializer("a"))) == [numbers[1]])
    #expect(found(.asked(.initializer("c"))).isEmpty)
    #expect(!list.isAwaited(.asked(.initializer("c"))))
    #expect(found(.quiet) == [numbers[4], numbers[7]])
    #expect(list.removeGroup(.quiet) == [numbers[4], numbers[7]])
    #expect(!list.isAwaited(.quiet))
    #expect(list.all.map(\.number) == numbers, "what was taken is open until it is removed")
  }

  @Test("A wait is removed once; its number isn't used again")
  func removal() {
    var list = WaitList()
    let first = list.add(wait(.asked(.pass(1)), session: 7))
    #expect(list.remove(first)?.session == 7)
    #expect(list.remove(first) == nil)
    #expect(list.count == 0 && !list.isAwaited(.asked(.pass(1))))
    #expect(list.add(wait(.asked(.pass(1)))) != first)
  }

  @Test("The tables shrink when few of many waits are left, which are still found and expire in order")
  func shrinking() {
    var list = WaitList()
    let numbers = (0..<10_000).map { list.add(wait(.asked(.pass($0)), until: .seconds(20_000 - $0))) }
    let large = list.capacity
    for number in numbers.dropLast(10) { _ = list.remove(number) }
    #expect(list.capacity < large / 64)
    #expect(list.all.map(\.number) == numbers.suffix(10))
    #expect(list.isAwaited(.asked(.pass(9995))) && !list.isAwaited(.asked(.pass(9000))))
    for number in numbers.suffix(10).reversed() {
      #expect(list.expired(at: .seconds(30_000)) == number)
      _ = list.remove(number)
    }
    #expect(list.nextDeadline == nil)
  }

  @Test("A wait's memory counts with the names that it keeps")
  func memory() {
    var wait = wait(.quiet)
    let small = wait.heldBytes
    wait.cancelled = (0..<1000).map { "n\($0)" }
    #expect(wait.heldBytes == small + 1000 * MemoryLayout<String>.stride)
  }

  @Test("Removing some waits for a target leaves the others, and frees the memory of the removed ones")
  func others() {
    var list = WaitList()
    let numbers = (0..<2000).map { _ in list.add(wait(.asked(.initializer("a")))) }
    for number in numbers where number % 100 != 0 { _ = list.remove(number) }
    #expect(list.waiting(for: .asked(.initializer("a"))).map(\.number) == numbers.filter { $0 % 100 == 0 })
    #expect(list.removeGroup(.asked(.initializer("a"))).count <= 2 * 20 + 16)
  }

  @Test("Removing a taken wait doesn't affect later waits for the same target")
  func takenThenRemoved() {
    var list = WaitList()
    let before = (0..<3).map { _ in list.add(wait(.asked(.pass(1)))) }
    #expect(list.removeGroup(.asked(.pass(1))) == before)
    let after = list.add(wait(.asked(.pass(1))))
    for number in before { _ = list.remove(number) }
    #expect(list.waiting(for: .asked(.pass(1))).map(\.number) == [after])
    _ = list.remove(after)
    #expect(!list.isAwaited(.asked(.pass(1))))
  }

  @Test("The earliest deadline is known after additions and removals")
  func deadlines() {
    var list = WaitList()
    _ = list.add(wait(.quiet))
    #expect(list.nextDeadline == nil)
    let late = list.add(wait(.asked(.pass(1)), until: .seconds(9)))
    let early = list.add(wait(.asked(.pass(2)), until: .seconds(3)))
    #expect(list.nextDeadline == .seconds(3))
    #expect(list.expired(at: .seconds(2)) == nil)
    #expect(list.expired(at: .seconds(3)) == early)
    _ = list.remove(early)
    #expect(list.nextDeadline == .seconds(9))
    _ = list.remove(late)
    #expect(list.nextDeadline == nil)
  }
}
