import InitWire
import Testing

@testable import InitSupervisor

@Suite("LogBook")
struct LogBookTests {
  private func line(_ number: Int, of name: String = "a", text: String? = nil) -> LogLineShape {
    LogLineShape(time: Double(number), initializer: name, run: 1, stream: .stdout, line: text ?? "\(number)")
  }

  private func book(lines: Int = 100, bytes: Int = 1000, _ added: [LogLineShape]) -> LogBook {
    var book = LogBook(lineLimit: lines, byteLimit: bytes)
    for line in added { book.append(line) }
    return book
  }

  @Test("It returns the last lines of all or of one initializer, oldest first")
  func last() {
    let book = book([line(1), line(2, of: "b"), line(3), line(4, of: "b"), line(5)])
    #expect(book.last(2, of: nil).map(\.line) == ["4", "5"])
    #expect(book.last(9, of: nil).map(\.line) == ["1", "2", "3", "4", "5"])
    #expect(book.last(2, of: "a").map(\.line) == ["3", "5"])
    #expect(book.last(9, of: "b").map(\.line) == ["2", "4"])
    #expect(book.last(1, of: "c").isEmpty)
  }

  @Test("It returns the last lines of one run, without lines of earlier runs")
  func lastOfRun() {
    var lines = [line(1), line(2), line(3, of: "b"), line(4), line(5), line(6)]
    for place in 1...5 { lines[place].run = 2 }
    let book = book(lines)
    #expect(book.last(9, of: "a", run: 2, since: 2).map(\.line) == ["2", "4", "5", "6"])
    #expect(book.last(9, of: "a", run: 2, since: 4.5).map(\.line) == ["5", "6"])
    #expect(book.last(2, of: "a", run: 2, since: 0).map(\.line) == ["5", "6"])
    #expect(book.last(9, of: "a", run: 1, since: 0).map(\.line) == ["1"])
  }

  @Test("It returns as many of the newest lines as fit into one answer, by their length in JSON")
  func answer() throws {
    // Six bytes each in JSON.
    let text = String(repeating: "\u{1}", count: 8192)
    let book = book(lines: 10_000, bytes: 4 << 20, (1...500).map { line($0, text: text) })
    let lines = book.last(1000, of: nil)
    #expect(lines.map(\.time) == (1...500).suffix(lines.count).map(Double.init))
    let frame = try Message.answer(id: .number(1), result: LogsResult(lines: lines))
    #expect(frame.count > Frame.largestPayload - 3 * 6 * 8192)

    let quotes = self.book(
      lines: 10_000, bytes: 64 << 20, (1...2000).map { line($0, text: String(repeating: "\"\\", count: 4096)) })
    #expect(throws: Never.self) {
      try Message.answer(id: .number(1), result: LogsResult(lines: quotes.last(2000, of: "a")))
    }
    let short = self.book(
      lines: 200_000, bytes: 64 << 20, (1...200_000).map { line($0, of: String(repeating: "n", count: 128), text: "/") }
    )
    #expect(throws: Never.self) {
      try Message.answer(id: .number(1), result: LogsResult(lines: short.last(200_000, of: nil)))
    }
  }

  @Test("Beyond the maximum number of lines, the oldest are dropped")
  func lineBound() {
    #expect(book(lines: 2, (1...5).map { line($0) }).last(9, of: nil).map(\.line) == ["4", "5"])
  }

  @Test("Beyond the maximum number of bytes, the oldest lines are dropped")
  func byteBound() {
    let book = book(
      bytes: 10, [line(1, text: "aaaa"), line(2, text: "bbbb"), line(3, text: "éé"), line(4, text: "cc")])
    #expect(book.last(9, of: nil).map(\.line) == ["bbbb", "éé", "cc"])
  }

  @Test("A line longer than the limit isn't kept, nor are the lines before it")
  func tooLong() {
    var book = book(bytes: 3, [line(1, text: "a"), line(2, text: "bbbb")])
    #expect(book.last(9, of: nil).isEmpty)
    book.append(line(3, text: "ccc"))
    #expect(book.last(9, of: nil).map(\.line) == ["ccc"])
  }
}
