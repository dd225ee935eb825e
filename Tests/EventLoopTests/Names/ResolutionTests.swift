import Platform
import Testing

@testable import EventLoop

@Suite("Resolution")
struct ResolutionTests {
  private let v4: [UInt8] = [10, 0, 0, 1]
  private let v6 = [UInt8](repeating: 1, count: 16)

  private func resolution(_ host: String, _ text: String = "nameserver 10.0.0.1\nnameserver 10.0.0.2\n") -> Resolution {
    var id: UInt16 = 0
    return Resolution(host, ResolverFile(text)) {
      id += 1
      return id
    }
  }

  @Test("Both kinds of addresses are asked for, and IPv4 comes first")
  func both() throws {
    var resolution = resolution("db.")
    #expect(resolution.begin() == .ask)
    let messages = resolution.messages
    #expect(messages.count == 2)
    #expect(resolution.received(NameAnswer(records: [(28, v6)]).message(to: messages[1]), from: 0) == .wait)
    #expect(resolution.messages == [messages[0]])
    let addresses = [IPAddress(v4), IPAddress(v6)].compactMap(\.self)
    #expect(resolution.received(NameAnswer(records: [(1, v4)]).message(to: messages[0]), from: 1) == .found(addresses))
  }

  @Test("A name that isn't known is searched in the next domain")
  func search() {
    var resolution = resolution("db", "search a b\n")
    #expect(resolution.begin() == .ask)
    for last in [Resolution.Step.ask, .ask, .failed("there is no such name")] {
      let messages = resolution.messages
      #expect(resolution.received(NameAnswer(code: 3).message(to: messages[0]), from: 0) == .wait)
      #expect(resolution.received(NameAnswer(code: 3).message(to: messages[1]), from: 0) == last)
    }
  }

  @Test("A name without addresses is told apart from an unknown one")
  func empty() {
    var resolution = resolution("db.")
    _ = resolution.begin()
    let messages = resolution.messages
    _ = resolution.received(NameAnswer().message(to: messages[0]), from: 0)
    #expect(resolution.received(NameAnswer().message(to: messages[1]), from: 0) == .failed("it has no address"))
  }

  @Test("It fails once no server can answer")
  func faults() {
    var resolution = resolution("db.")
    _ = resolution.begin()
    let refusal = NameAnswer(code: 2).message(to: resolution.messages[0])
    #expect(resolution.received(refusal, from: 1) == .wait)
    #expect(resolution.failed(0, "why") == .failed("the name server 10.0.0.1 fails: why"))
    #expect(resolution.silence == "none of the name servers answers: 10.0.0.1, 10.0.0.2")
  }

  @Test("If one kind stays unanswered, the other is enough after a while; without both, the questions are asked again")
  func patience() {
    var resolution = resolution("db.")
    _ = resolution.begin()
    #expect(resolution.waited() == .ask)
    #expect(resolution.received(NameAnswer(records: [(1, v4)]).message(to: resolution.messages[0]), from: 0) == .wait)
    #expect(resolution.waited() == .found([IPAddress(v4)].compactMap(\.self)))
  }

  @Test("Messages that answer nothing are ignored")
  func strangers() {
    var resolution = resolution("db.")
    _ = resolution.begin()
    #expect(resolution.received([1, 2, 3], from: 0) == .wait)
    #expect(
      resolution.received(NameAnswer(code: 3).message(to: [9, 9] + resolution.messages[0].dropFirst(2)), from: 0)
        == .wait)
    #expect(resolution.messages.count == 2)
  }
}
