import Testing

@testable import InitServer

@Suite("ClientMemory")
struct ClientMemoryTests {
  private func user(_ id: UInt32, isOwn: Bool = false) -> ClientMemory.User { ClientMemory.User(id: id, isOwn: isOwn) }

  @Test("The user who holds the most is the heaviest, not the one with the largest client")
  func heaviest() {
    var memory = ClientMemory(limit: 1000)
    for _ in 0..<40 { memory.add(20, of: user(1)) }
    memory.add(300, of: user(2))
    #expect(memory.bytes == 1100)
    #expect(memory.isExceeded)
    #expect(memory.heaviest == user(1))
    memory.add(-600, of: user(1))
    #expect(!memory.isExceeded)
    #expect(memory.heaviest == user(2))
  }

  @Test("Root and the supervisor's own user are the heaviest only if no one else holds anything")
  func own() {
    var memory = ClientMemory(limit: 1000)
    #expect(memory.heaviest == nil)
    memory.add(2000, of: user(0, isOwn: true))
    memory.add(1, of: user(7))
    #expect(memory.heaviest == user(7))
    memory.add(-1, of: user(7))
    #expect(memory.heaviest == user(0, isOwn: true))
    memory.add(1, of: user(0))
    #expect(memory.heaviest == user(0), "at the observers' socket it is like any other")
  }

  @Test("The limit itself may be held")
  func edges() {
    var memory = ClientMemory(limit: 1000)
    memory.add(250, of: user(1))
    #expect(!memory.isLarge)
    memory.add(1, of: user(1))
    #expect(memory.isLarge)
    memory.add(749, of: user(1))
    #expect(!memory.isExceeded)
    memory.add(1, of: user(1))
    #expect(memory.isExceeded)
  }

  @Test("Beyond three quarters, users who hold at least the average get no further events, and others do")
  func crowding() {
    var memory = ClientMemory(limit: 1000)
    memory.add(700, of: user(1))
    memory.add(50, of: user(2))
    #expect(!memory.isCrowding(user(1)))
    memory.add(1, of: user(2))
    #expect(memory.isCrowding(user(1)))
    #expect(!memory.isCrowding(user(2)))
    #expect(!memory.isCrowding(user(3)))
    memory.add(-700, of: user(1))
    memory.add(701, of: user(2))
    #expect(memory.isCrowding(user(2)), "it is the only one")
  }
}
