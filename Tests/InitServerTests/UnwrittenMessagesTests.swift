import Testing

@testable import InitServer

@Suite("Unwritten messages")
struct UnwrittenMessagesTests {
  @Test("Messages leave in order and in pieces, and a large one takes its memory until all of it is written")
  func pieces() {
    var messages = UnwrittenMessages()
    messages.append([1, 2, 3, 4, 5])
    let memory = messages.memory
    messages.append([6])
    #expect(messages.bytes == 6)
    #expect(messages.next(3) == [1, 2, 3])
    #expect(messages.bytes == 3)
    #expect(messages.memory > memory)
    #expect(messages.next(3) == [4, 5])
    #expect(messages.memory < memory)
    #expect(messages.next(.max) == [6])
    #expect(messages.next(.max) == nil)
    #expect(messages.isEmpty && messages.bytes == 0 && messages.memory == 0)
  }
}
