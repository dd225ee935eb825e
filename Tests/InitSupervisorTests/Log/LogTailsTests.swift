import InitWire
import Testing

@testable import InitSupervisor

@Suite("LogTails")
struct LogTailsTests {
  private struct Book {
    var tails: LogTails
    private var number = 0

    init(lines: Int = 1000, bytes: Int = 1 << 20) { tails = LogTails(lineLimit: lines, byteLimit: bytes) }

    mutating func add(_ texts: String..., of name: String = "a", run: Int = 1) {
      for text in texts {
        let shape = LogLineShape(time: 1, initializer: name, run: run, stream: .stdout, line: text)
        tails.append(shape, number: number)
        number += 1
      }
    }

    func failed(_ name: String = "a") -> [String] { tails.lines(ofFailed: name).map(\.line) }
    func lines(_ name: String = "a", run: Int) -> [String] { tails.lines(of: name, run: run).map(\.line) }
    func kept(_ name: String? = nil, before end: Int = .max) -> [String] {
      tails.lines(of: name, before: end).map(\.shape.line)
    }
  }

  @Test("A failure is kept until the next failure or success; a cancelled run changes nothing")
  func ends() {
    var book = Book()
    book.add("one")
    #expect(book.failed() == [] && book.lines(run: 1) == ["one"])
    book.tails.end("a", run: 1, .failed)
    book.add("two", run: 2)
    #expect(book.failed() == ["one"] && book.kept() == ["one", "two"])
    book.tails.end("a", run: 2, .cancelled)
    #expect(book.failed() == ["one"] && book.kept() == ["one"])
    book.add("three", run: 3)
    book.tails.end("a", run: 3, .failed)
    #expect(book.failed() == ["three"] && book.kept() == ["three"])
    book.tails.end("a", run: 4, .failed)
    #expect(book.failed() == [] && book.kept() == [])
    book.add("late", run: 4)
    #expect(book.failed() == ["late"])
    book.tails.end("a", run: 5, .complete)
    #expect(book.failed() == [] && book.kept() == [])
  }

  @Test("Lines that are read after the end of a failed run belong to it; those of earlier runs aren't kept")
  func late() {
    var book = Book()
    book.add("one")
    book.tails.end("a", run: 1, .failed)
    book.add("two", run: 2)
    book.add("rest", run: 1)
    #expect(book.lines(run: 1) == ["one", "rest"] && book.lines(run: 2) == ["two"])
    book.tails.end("a", run: 2, .failed)
    book.add("three", run: 3)
    book.add("more", run: 1)
    #expect(book.kept() == ["two", "three"])
  }

  @Test("A tail has at most 100 lines and 64 KiB, the last ones")
  func bounds() {
    var book = Book()
    for number in 1...150 { book.add("\(number)") }
    #expect(book.lines(run: 1) == (51...150).map { "\($0)" })
    let long = String(repeating: "x", count: 20_000)
    book.add(long, "a", long, long, long, of: "b")
    #expect(book.lines("b", run: 1).map(\.count) == [1, 20_000, 20_000, 20_000])
  }

  @Test("Beyond the bounds of all together, the largest gives up its oldest lines, however new it is")
  func largest() {
    var book = Book(lines: 10)
    for name in ["a", "b", "c"] {
      book.add("1", "2", of: name)
      book.tails.end(name, run: 1, .failed)
    }
    for number in 1...1000 { book.add("\(number)", of: "d") }
    #expect(["a", "b", "c"].allSatisfy { book.failed($0) == ["1", "2"] })
    #expect((1...4).contains(book.lines("d", run: 1).count) && book.lines("d", run: 1).last == "1000")
    var bytes = Book(bytes: 100)
    bytes.add("short", of: "a")
    bytes.add(String(repeating: "x", count: 60), String(repeating: "y", count: 60), of: "b")
    #expect(bytes.kept().map(\.count) == [5, 60])
    bytes.add(String(repeating: "z", count: 101), of: "b")
    #expect(bytes.kept() == ["short"])
  }

  @Test("Lines of all names are in the order in which they were written")
  func order() {
    var book = Book()
    book.add("1", of: "b")
    book.add("2", of: "a")
    book.tails.end("b", run: 1, .failed)
    book.add("3", of: "b", run: 2)
    #expect(book.kept() == ["1", "2", "3"])
    #expect(book.kept("b") == ["1", "3"])
    #expect(book.kept(before: 2) == ["1", "2"])
  }
}
