import InitLog
import InitModel
import InitWire
import Testing

@testable import InitRecords

@Suite("LogTails")
struct LogTailsTests {
  private struct Book {
    var tails: LogTails
    private var number = 0

    init(limit: Int = 1 << 20) { tails = LogTails(limit: limit) }

    mutating func add(_ texts: String..., of name: String = "a", run: Int = 1) {
      for text in texts {
        let shape = LogLine(time: 1, initializer: name, run: run, stream: .stdout, line: text)
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

  @Test("Current runs displace nothing of failed ones, nor the other way round")
  func separate() {
    var book = Book(limit: 1000)
    book.add("1", "2", of: "a")
    book.tails.end("a", run: 1, .failed)
    for number in 1...99 { book.add("\(number)", of: "b\(number)") }
    #expect(book.failed() == ["1", "2"])
    book = Book(limit: 1000)
    book.add("last", of: "c")
    for number in 1...9 {
      book.add("1", "2", of: "d\(number)")
      book.tails.end("d\(number)", run: 1, .failed)
    }
    #expect(book.lines("c", run: 1) == ["last"])
  }

  @Test("What failed before is kept until the next failure or success; its run number is that of another supervisor")
  func recalled() {
    var book = Book()
    func recall() {
      let shapes = ["one", "two"].map { LogLine(time: 1, initializer: "a", run: 1, stream: .stdout, line: $0) }
      book.tails.recall(shapes.enumerated().map { LogTails.Line(number: $0, shape: $1) })
    }
    recall()
    #expect(book.failed() == ["one", "two"] && Array(book.tails.failedNames) == ["a"])
    #expect(book.lines(run: 1) == [])
    book.add("new")
    #expect(book.failed() == ["one", "two"] && book.lines(run: 1) == ["new"])
    book.tails.end("a", run: 1, .cancelled)
    #expect(book.failed() == ["one", "two"])
    book.tails.end("a", run: 2, .complete)
    #expect(book.failed() == [])
    recall()
    book.add("three", run: 3)
    book.tails.end("a", run: 3, .failed)
    #expect(book.failed() == ["three"])
  }

  @Test("Those that give up lines to others are reported, once")
  func shortened() {
    let line = TailSet.bytesOfLine + 1
    var book = Book(limit: 2 * TailSet.bytesOfTail + 5 * line)
    book.add("1", "2", "3", "4", of: "a")
    book.tails.end("a", run: 1, .failed)
    #expect(book.tails.removeShortened() == [])
    book.add("1", "2", of: "b")
    book.tails.end("b", run: 1, .failed)
    #expect(book.failed("a") == ["3", "4"] && book.failed("b") == ["1", "2"])
    #expect(book.tails.removeShortened() == ["a"])
    #expect(book.tails.removeShortened() == [])
    book.add("3", "4", of: "b")
    #expect(book.tails.removeShortened() == ["b"])
  }

  @Test("A process's run keeps the start that failed by itself or was stopped; ready replaces both (S32)")
  func processes() {
    var book = Book()
    book.add("crashed", run: 1)
    book.tails.end("a", run: 1, .failed)
    let crashed = book.tails.endRun(ofProcess: "a", .failed)
    #expect(crashed == nil && book.failed() == ["crashed"])
    book.add("hung", run: 2)
    let hung = book.tails.endRun(ofProcess: "a", .failed)
    #expect(hung == 2 && book.failed() == ["hung"] && book.lines(run: 2) == ["hung"])
    book.add("stopped", run: 3)
    _ = book.tails.endRun(ofProcess: "a", .cancelled)
    #expect(book.failed() == ["hung"] && book.lines(run: 3) == [])
    book.add("ready", run: 4)
    _ = book.tails.endRun(ofProcess: "a", .complete)
    #expect(book.failed() == [] && book.lines(run: 4) == ["ready"])
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
