import InitText
import Testing

@testable import initctl

struct ParagraphTests {
  @Test("A paragraph is wrapped at the width of the terminal, and is one line elsewhere")
  func terminal() {
    let text = "pass 1 (launch) failed after 3.4s: a failed: exit status 3"
    #expect(Paragraph.lines(text, OutputTerminal(size: nil, hasColor: false)) == [text])
    let terminal = OutputTerminal(size: .init(columns: 40, rows: 24), hasColor: false)
    #expect(Paragraph.lines(text, terminal) == ["pass 1 (launch) failed after 3.4s: a", "  failed: exit status 3"])
  }

  @Test("No line is too wide, and no text is lost, in East Asian text too", arguments: [1, 2, 3, 7, 40, 60, 80, 300])
  func widths(columns: Int) {
    let wide = String(repeating: "価格表を取得できません、", count: 12)
    let halfwidth = String(repeating: "ｶﾞｷﾞｸﾞ", count: 40)
    let path = "/" + String(repeating: "x", count: 400)
    for text in ["a failed: \(wide) exit status 3", "가격표를 가져올 수 없습니다 " + wide, halfwidth, path, "👍 \(path) 👍"] {
      for (head, margin) in [("", "  "), ("│  └─ ", "│     ")] {
        let lines = Paragraph.lines(text, columns: columns, head: head, margin: margin)
        // A line has at least its head and one character.
        for line in lines { #expect(TextWidth.columns(line) <= max(columns, head.count + 2)) }
        func isText(_ character: Character) -> Bool { !"│└─ ".contains(character) }
        #expect(lines.joined().filter(isText) == text.filter(isText))
      }
    }
  }

  @Test("Later lines begin with the margin, and are broken at spaces; a word that is longer than a line is broken")
  func margin() {
    #expect(
      Paragraph.lines("one two three", columns: 12, head: "├─ ", margin: "│  ") == ["├─ one two", "│  three"])
    #expect(Paragraph.lines("a 価格表価格表", columns: 8) == ["a 価格表", "  価格表"])
    #expect(Paragraph.lines("価格表 価格表", columns: 8) == ["価格表", "  価格表"])
  }

  @Test("A number stays with its unit of time")
  func units() {
    #expect(Paragraph.lines("waiting for 1.5 s: next", columns: 15) == ["waiting for", "  1.5 s: next"])
    #expect(Paragraph.lines("attempt 1 of 3", columns: 9) == ["attempt 1", "  of 3"])
  }

  @Test("Spaces in a line and at the start of the text are kept, those at a break aren't")
  func spaces() {
    #expect(Paragraph.lines("  at a  b", columns: 20) == ["  at a  b"])
    #expect(Paragraph.lines("  at a  b   cccc", columns: 10) == ["  at a  b", "  cccc"])
  }
}
