import Platform
import Testing

@testable import EventLoop

@Suite("NameQuestion")
struct NameQuestionTests {
  private let question = NameQuestion(id: 0x1234, name: "db.example", kind: .ipv4)
  private var message: [UInt8] { question.message ?? [] }

  @Test("A question asks for one name and one kind of addresses")
  func asks() {
    #expect(
      message == [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2] + "db".utf8 + [7] + "example".utf8 + [0, 0, 1, 0, 1])
    #expect(NameQuestion(id: 1, name: "a..b", kind: .ipv4).message == nil)
    #expect(NameQuestion(id: 1, name: String(repeating: "a", count: 64), kind: .ipv4).message == nil)
    let long = Array(repeating: String(repeating: "a", count: 63), count: 4).joined(separator: ".")
    #expect(NameQuestion(id: 1, name: long, kind: .ipv4).message == nil)
  }

  @Test("The addresses of an answer are those of this kind, each once, and aliases are skipped")
  func addresses() {
    let answer = NameAnswer(records: [
      (5, [1, 97, 0]), (1, [10, 0, 0, 1]), (28, [UInt8](repeating: 1, count: 16)), (1, [10, 0, 0, 1]),
      (1, [10, 0, 0, 2]),
    ])
    let found = [IPAddress("10.0.0.1"), IPAddress("10.0.0.2")].compactMap(\.self)
    #expect(question.answer(in: answer.message(to: message)) == .addresses(found))
    #expect(question.answer(in: NameAnswer().message(to: message)) == .addresses([]))
  }

  @Test("A response code is no address")
  func codes() {
    #expect(question.answer(in: NameAnswer(code: 3).message(to: message)) == .unknown)
    #expect(question.answer(in: NameAnswer(code: 2).message(to: message)) == .refused(code: 2))
  }

  @Test("A message with another number, name or kind, or that is a question, is no answer")
  func others() {
    let answer = NameAnswer(records: [(1, [10, 0, 0, 1])]).message(to: message)
    for change in [0, 1, 13, message.count - 3] {
      var other = answer
      other[change] ^= 1
      #expect(question.answer(in: other) == nil, "byte \(change)")
    }
    #expect(question.answer(in: message) == nil)
    #expect(question.answer(in: []) == nil)
    var upper = answer
    upper[13] = UInt8(ascii: "D")
    #expect(question.answer(in: upper) != nil, "names have no case")
  }

  @Test("Truncated and damaged answers never trap")
  func damage() {
    let answer = NameAnswer(records: [(5, [1, 97, 0]), (1, [10, 0, 0, 1])]).message(to: message)
    for count in 0...answer.count { _ = question.answer(in: Array(answer[..<count])) }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var other = answer
      for _ in 0..<3 { other[Int.random(in: message.count..<other.count, using: &generator)] = .random(in: 0...255) }
      other[7] = .random(in: 0...255)
      _ = question.answer(in: other)
    }
  }
}
