import Testing

@testable import initctl

struct ScreenLineTests {
  private static let line: ScreenLine = {
    var line = ScreenLine("ab", .red)
    line.add("cd")
    return line
  }()

  @Test("It is clipped to the columns, with an ellipsis wherever it is cut")
  func clipped() {
    let plain = Style(hasColor: false)
    #expect((0...5).map { Self.line.text($0, plain) } == ["", "…", "a…", "ab…", "abcd", "abcd"])
    #expect((1...4).map { ScreenLine("界界").text($0, plain) } == ["…", "…", "界…", "界界"])
  }

  @Test("Colours take no columns, and a reversed line is as wide as the screen")
  func colors() {
    let style = Style(hasColor: true)
    #expect(Self.line.text(4, style) == "\u{1B}[31mab\u{1B}[0mcd")
    var reversed = Self.line
    reversed.isReversed = true
    #expect(reversed.text(6, style) == "\u{1B}[7mabcd  \u{1B}[0m")
    #expect(reversed.text(3, style) == "\u{1B}[7mab…\u{1B}[0m")
    #expect(reversed.text(6, Style(hasColor: false)) == "abcd")
  }
}
