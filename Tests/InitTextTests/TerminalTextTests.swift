import Testing

@testable import InitText

struct TerminalTextTests {
  @Test("characters that could deceive a reader are escaped")
  func examples() {
    #expect(TerminalText.escape("plain é 日本 😀 👩‍👩‍👧 \\n") == "plain é 日本 😀 👩‍👩‍👧 \\n")
    #expect(TerminalText.escape("\u{1B}[31mred\u{1B}[0m") == #"\u{1B}[31mred\u{1B}[0m"#)
    #expect(TerminalText.escape("a\r\n\tb\u{0}\u{7F}\u{9B}2J") == #"a\r\n\tb\u{0}\u{7F}\u{9B}2J"#)
    #expect(
      TerminalText.escape("user\u{202E}txt.exe\u{2066}\u{2069}\u{200F}")
        == #"user\u{202E}txt.exe\u{2066}\u{2069}\u{200F}"#)
    #expect(
      TerminalText.escape("\u{2028}\u{2029}\u{FEFF}\u{FFFE}\u{10FFFF}\u{E0041}")
        == #"\u{2028}\u{2029}\u{FEFF}\u{FFFE}\u{10FFFF}\u{E0041}"#)
    #expect(TerminalText.escape("") == "")
  }

  @Test("all scalars that move, end, reorder or hide text are escaped, and all others are unchanged")
  func allScalars() {
    let hidden: [ClosedRange<UInt32>] = [
      0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x600...0x605, 0x61C...0x61C, 0x6DD...0x6DD, 0x70F...0x70F, 0x890...0x891,
      0x8E2...0x8E2, 0x180E...0x180E, 0x200B...0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x2064,
      0x2066...0x206F, 0xFDD0...0xFDEF, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0x110BD...0x110BD, 0x110CD...0x110CD,
      0x13430...0x1343F, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0001...0xE0001, 0xE0020...0xE007F,
    ]
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(Character(scalar))
      let escaped = TerminalText.escape(text)
      if value & 0xFFFE == 0xFFFE || hidden.contains(where: { $0.contains(value) }) {
        if !escaped.hasPrefix("\\") || !escaped.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) {
          Issue.record("U+\(String(value, radix: 16)) comes through")
        }
      } else if escaped.utf8.elementsEqual(text.utf8) == false {
        Issue.record("U+\(String(value, radix: 16)) is escaped")
      }
    }
  }

  @Test(
    "What can be seen stays as it is, what can't is written as a number",
    arguments: [
      ("plain-1.0 é 日本", "plain-1.0 é 日本"),
      ("a\tb\r\n", "a\\tb\\r\\n"),
      ("\u{1B}[31m", "\\u{1B}[31m"),
      ("\u{7F}\u{9B}\u{2028}", "\\u{7F}\\u{9B}\\u{2028}"),
      ("\u{202E}\u{200B}\u{A0}\u{200D}", "\\u{202E}\\u{200B}\\u{A0}\\u{200D}"),
      ("\u{E000}\u{378}", "\\u{E000}\\u{378}"),
    ])
  func visibleOnly(text: String, expected: String) {
    #expect(TerminalText.escape(text, visibleOnly: true) == expected)
  }

  @Test("A quoted text is cut after eighty bytes")
  func quote() {
    #expect(TerminalText.quote(String(repeating: "x", count: 80)) == "\"" + String(repeating: "x", count: 80) + "\"")
    #expect(TerminalText.quote(String(repeating: "x", count: 81)) == "\"" + String(repeating: "x", count: 77) + "…\"")
    #expect(TerminalText.quote("") == "\"\"")
  }
}
