import InitText
import Testing

@testable import initctl

@Suite("Tables for people")
struct TableTests {
  private static let table: Table = {
    var table = Table(columns: [
      .init(title: "NAME", isNumber: false), .init(title: "TIME", importance: 2),
      .init(title: "NOTE", isNumber: false, importance: 1),
    ])
    table.rows = [
      ["migrate", .init("1.2s", .red), "first"], ["a-very-long-name-that-nobody-reads-to-its-end", "20ms", ""],
      ["日本語", "-", "宽"],
    ]
    return table
  }()

  private func terminal(_ columns: Int, hasColor: Bool = false) -> OutputTerminal {
    OutputTerminal(size: .init(columns: columns, rows: 24), hasColor: hasColor)
  }

  @Test("Numbers are aligned to the right, text to the left, and no line ends with spaces")
  func alignment() {
    let lines = Self.table.lines(OutputTerminal(size: nil, hasColor: false))
    #expect(
      lines == [
        "NAME                                           TIME  NOTE",
        "migrate                                        1.2s  first",
        "a-very-long-name-that-nobody-reads-to-its-end  20ms",
        "日本語                                            -  宽",
      ])
  }

  @Test("It fits any width from 40 to 300 columns; the least important columns are left out first")
  func widths() {
    for columns in 40...300 {
      let lines = Self.table.lines(terminal(columns))
      #expect(lines.allSatisfy { TextWidth.columns($0) <= columns })
      #expect(lines[0].hasPrefix("NAME") && lines[0].contains("TIME"))
    }
    #expect(Self.table.lines(terminal(20))[0].contains("TIME"))
    #expect(!Self.table.lines(terminal(20))[0].contains("NOTE"))
  }

  @Test("Colours take no columns")
  func colors() {
    let plain = Self.table.lines(terminal(60))
    let painted = Self.table.lines(terminal(60, hasColor: true))
    #expect(painted[1].contains("\u{1B}[31m1.2s\u{1B}[0m"))
    #expect(
      painted.map { $0.replacing("\u{1B}[31m", with: "").replacing("\u{1B}[0m", with: "") } == plain)
  }

  @Test("A table without rows has no lines")
  func empty() {
    #expect(Table(columns: [.init(title: "NAME")]).lines(terminal(80)).isEmpty)
  }
}
