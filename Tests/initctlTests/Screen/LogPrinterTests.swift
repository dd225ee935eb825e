import InitModel
import InitWire
import Testing

@testable import initctl

@Suite("LogPrinter")
struct LogPrinterTests {
  private let line = LogLine(
    time: 1_763_672_400.25, initializer: "menu", run: 7, attempt: 2, stream: .stderr, line: "half\rno\u{7}\u{1B}[2J")

  private func text(_ printer: LogPrinter) throws -> String { String(decoding: try printer.text(line), as: UTF8.self) }

  @Test("The name precedes the line, escaped and without escape sequences; the time precedes both")
  func plain() throws {
    #expect(try text(LogPrinter()) == "menu | no\\u{7}\n")
    #expect(try text(LogPrinter(showsTime: true, width: 7)) == "2025-11-20T21:00:00.250Z menu    | no\\u{7}\n")
    #expect(try text(LogPrinter(showsName: false)) == "no\\u{7}\n")
  }

  @Test("Only the prefix is coloured, in the same colour each time")
  func colors() throws {
    let colored = LogPrinter(style: Style(hasColor: true))
    #expect(try text(colored).hasSuffix("mmenu |\u{1B}[0m no\\u{7}\n"))
    #expect(try text(colored) == text(colored))
    var colors: Set<Substring> = []
    for number in 0..<50 {
      let other = LogLine(time: 0, initializer: "n\(number)", run: 1, stream: .stdout, line: "x")
      colors.insert(String(decoding: try colored.text(other), as: UTF8.self).prefix(5))
    }
    #expect(colors.count == 8)
  }

  @Test("As JSON, the line is as it was written")
  func json() throws {
    #expect(
      try text(LogPrinter(isJSON: true, showsTime: true)) == """
        {"time":1763672400.25,"initializer":"menu","run":7,"attempt":2,"stream":"stderr","line":"half\\rno\\u0007\\u001b[2J"}

        """)
  }
}
