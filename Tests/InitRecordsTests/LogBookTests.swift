import InitLog
import InitModel
import InitTimeline
import InitWire
import Testing

@testable import InitRecords

@Suite("LogBook")
struct LogBookTests {
  private typealias Lines = LogPage.Selection

  private func line(_ number: Int, of name: String = "a", run: Int = 1, pass: Int? = nil, text: String? = nil)
    -> LogLine
  {
    LogLine(
      time: Double(number), initializer: name, run: run, pass: pass, stream: .stdout, line: text ?? "\(number)")
  }

  private func last(_ limit: Int, of name: String?, _ book: LogBook) -> [LogLine] {
    book.page(Lines(name: name, limit: limit)).lines
  }

  /// A log whose runs have ended, and of which nothing else is kept.
  private func book(lines: Int = 100, bytes: Int = 1000, _ added: [LogLine]) -> LogBook {
    var book = LogBook(lineLimit: lines, byteLimit: bytes)
    for line in added { book.append(line) }
    for line in added { book.end(line.initializer, run: line.run, .complete) }
    return book
  }

  @Test("It returns the last lines of all or of one initializer, oldest first")
  func last() {
    let book = book([line(1), line(2, of: "b"), line(3), line(4, of: "b"), line(5)])
    #expect(last(2, of: nil, book).map(\.line) == ["4", "5"])
    #expect(last(9, of: nil, book).map(\.line) == ["1", "2", "3", "4", "5"])
    #expect(last(2, of: "a", book).map(\.line) == ["3", "5"])
    #expect(last(9, of: "b", book).map(\.line) == ["2", "4"])
    #expect(last(1, of: "c", book).isEmpty)
  }

  @Test("A current run's lines, and those of the newest failure, outlast the log; `dropped` counts the others (§4)")
  func tails() {
    var book = LogBook(lineLimit: 20, byteLimit: 1000)
    for number in 1...3 { book.append(line(number)) }
    for number in 4...33 { book.append(line(number, of: "b")) }
    // The log has the last twenty.
    #expect(last(99, of: "a", book).map(\.line) == ["1", "2", "3"])
    #expect(book.page(Lines(name: "a")).dropped == nil)
    book.end("a", run: 1, .failed)
    book.end("b", run: 1, .complete)
    #expect(last(99, of: nil, book).map(\.line) == ["1", "2", "3"] + (14...33).map { "\($0)" })
    #expect(book.last(2, ofFailed: "a").map(\.line) == ["2", "3"])
    #expect(book.last(9, of: "a", run: 1).map(\.line) == ["1", "2", "3"])
    let all = book.page(Lines(limit: 1))
    let b = book.page(Lines(name: "b", limit: 1))
    #expect((all.dropped, all.droppedBy, b.dropped, b.droppedBy) == (10, "logLines", 10, "logLines"))
    #expect(book.page(Lines(name: "a")).dropped == nil)
    book.end("a", run: 2, .complete)
    #expect(last(99, of: "a", book).isEmpty)
    #expect(book.page(Lines(name: "a")).dropped == 3)
    #expect(book.page(Lines()).dropped == 13)
  }

  @Test("Small limits of the log take nothing of what is kept of a failure")
  func smallLog() {
    var book = LogBook(lineLimit: 1, byteLimit: 10)
    for number in 1...200 { book.append(line(number)) }
    book.end("a", run: 1, .failed)
    book.append(line(300, of: "b"))
    #expect(last(.max, of: "a", book).map(\.line) == (101...200).map { "\($0)" })
  }

  @Test("Only what is kept of failures, or only a pass, can be requested; `dropped` is the same then (§4)")
  func selections() {
    var book = LogBook(lineLimit: 4, byteLimit: 1000)
    for number in 1...3 { book.append(line(number, run: 1, pass: 1)) }
    book.end("a", run: 1, .failed)
    book.append(line(4, of: "b", run: 2, pass: 1))
    book.end("b", run: 2, .complete)
    for number in 5...6 { book.append(line(number, of: "b", run: 3, pass: 2)) }
    book.end("b", run: 3, .failed)
    book.append(line(7, of: "c", run: 4, pass: 2))
    func asked(_ params: Lines) -> [String] { book.page(params).lines.map(\.line) }
    #expect(asked(Lines(failed: true)) == ["1", "2", "3", "5", "6"])
    #expect(asked(Lines(name: "b", failed: true)) == ["5", "6"])
    #expect(asked(Lines(name: "c", failed: true)) == [])
    #expect(asked(Lines(failed: true, pass: 1, limit: 1)) == ["3"])
    #expect(asked(Lines(pass: 1)) == ["1", "2", "3", "4"])
    #expect(asked(Lines(pass: 2)) == ["5", "6", "7"])
    #expect(asked(Lines(failed: true, before: 4, limit: 9)) == ["1", "2", "3"])
    book.append(line(8, of: "c", run: 4, pass: 2))
    for params in [Lines(), Lines(failed: true), Lines(pass: 2)] {
      #expect(book.page(params).dropped == 1)
    }
  }

  @Test("What earlier supervisors kept precedes all lines, in the order of its times, and counts as nothing dropped")
  func recalled() throws {
    var book = LogBook(lineLimit: 2, byteLimit: 1000)
    let failures = [
      [line(1, of: "x", run: 9, pass: 4), line(3, of: "x", run: 9, pass: 4)], [line(2, of: "y", run: 8, pass: 4)],
    ]
    book.recall(failures.compactMap { FailedOutput($0, instance: "before") })
    for number in 4...6 { book.append(line(number, run: 9, pass: 4)) }
    #expect(last(9, of: nil, book).map(\.line) == ["1", "2", "3", "4", "5", "6"])
    #expect(last(9, of: nil, book).map(\.instance) == ["before", "before", "before", nil, nil, nil])
    #expect(book.page(Lines()).dropped == nil)
    #expect(book.page(Lines(failed: true, pass: 4)).lines.map(\.line) == ["1", "2", "3"])
    book.end("a", run: 9, .complete)
    #expect(book.page(Lines()).dropped == 1)
    #expect(Set(book.failedNames) == ["x", "y"])
    #expect(book.failure(of: "x", instance: "now")?.instance == "before")
    book.append(line(7, of: "x", run: 9))
    book.end("x", run: 9, .failed)
    #expect(book.failure(of: "x", instance: "now")?.instance == "now")
    #expect(last(9, of: "x", book).map(\.line) == ["7"])
    let late = book.append(line(8, of: "x", run: 9))
    let new = book.append(line(9, of: "x", run: 10))
    #expect(late && !new)
  }

  @Test("The limit that was reached last is named")
  func limits() {
    var book = book(lines: 2, bytes: 10, [line(1), line(2), line(3)])
    #expect(book.page(Lines()).droppedBy == "logLines")
    book.append(line(4, text: "a long line"))
    #expect((book.page(Lines()).dropped, book.page(Lines()).droppedBy) == (3, "logBytes"))
    book.end("a", run: 1, .complete)
    #expect((book.page(Lines()).dropped, book.page(Lines()).droppedBy) == (4, "logBytes"))
  }

  @Test("Pages go on from the log to what is kept apart")
  func pagesOfTails() {
    let text = String(repeating: "\u{1}", count: 500)
    var book = LogBook(lineLimit: 400, byteLimit: 4 << 20)
    for number in 1...100 { book.append(line(number, text: text)) }
    book.end("a", run: 1, .failed)
    for number in 101...600 { book.append(line(number, of: "b", text: text)) }
    book.end("b", run: 1, .complete)
    var params = Lines(limit: 1000)
    var times: [Double] = []
    var pages = 0
    repeat {
      let page = book.page(params)
      times = page.lines.map(\.time) + times
      (params.before, params.limit) = (page.next?.before, page.next?.limit ?? 0)
      pages += 1
    } while params.before != nil
    #expect(pages > 1)
    let numbers = Array(1...100) + Array(201...600)
    #expect(times == numbers.map { Double($0) })
  }

  @Test("A page has as many of the newest lines as fit by their length in JSON, and says where the next one begins")
  func pages() throws {
    // Six bytes each in JSON.
    let text = String(repeating: "\u{1}", count: 8192)
    var book = book(lines: 10_000, bytes: 4 << 20, (1...60).map { line($0, of: $0 % 2 == 0 ? "a" : "b", text: text) })
    var params = Lines(limit: 50)
    var times: [Double] = []
    repeat {
      let page = book.page(params)
      let frame = try Message.answer(id: .number(1), result: LogsRequest.Result(lines: page.lines))
      #expect(frame.count <= Page.largestAnswer)
      if page.next != nil { #expect(frame.count > Page.largestAnswer - 6 * 8192 - 8192) }
      times = page.lines.map(\.time) + times
      (params.before, params.limit) = (page.next?.before, page.next?.limit ?? 0)
      book.append(line(100, text: "later"))
    } while params.before != nil
    #expect(times == (11...60).map(Double.init))
    #expect(book.page(Lines(name: "a", limit: 2)).lines.map(\.time) == [100, 100])
    #expect(book.page(Lines(name: "c")).lines.isEmpty)
  }

  @Test("A position whose line has been dropped is the end")
  func dropped() {
    let book = book(lines: 2, (1...5).map { line($0) })
    #expect(book.page(Lines(before: 3, limit: 9)).lines.isEmpty)
    #expect(book.page(Lines(before: 4, limit: 9)).lines.map(\.line) == ["4"])
    #expect(book.page(Lines(before: .max, limit: 9)).lines.map(\.line) == ["4", "5"])
    #expect(book.page(Lines(before: 5, limit: 1)).lines.map(\.line) == ["5"])
  }

  @Test("Beyond the maximum number of lines, the oldest are dropped")
  func lineBound() {
    #expect(last(9, of: nil, book(lines: 2, (1...5).map { line($0) })).map(\.line) == ["4", "5"])
  }

  @Test("Beyond the maximum number of bytes, the oldest lines are dropped")
  func byteBound() {
    let book = book(
      bytes: 10, [line(1, text: "aaaa"), line(2, text: "bbbb"), line(3, text: "éé"), line(4, text: "cc")])
    #expect(last(9, of: nil, book).map(\.line) == ["bbbb", "éé", "cc"])
  }

  @Test("A line longer than the limit isn't kept, nor are the lines before it")
  func tooLong() {
    var book = book(bytes: 3, [line(1, text: "a"), line(2, text: "bbbb")])
    #expect(last(9, of: nil, book).isEmpty)
    book.append(line(3, text: "ccc"))
    #expect(last(9, of: nil, book).map(\.line) == ["ccc"])
  }
}
