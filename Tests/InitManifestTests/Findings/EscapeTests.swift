import Testing

@testable import InitManifest

@Suite struct EscapeTests {
  @Test(
    "Visible characters are unchanged, invisible ones are shown by number",
    arguments: [
      ("plain-1.0 é 日本", "plain-1.0 é 日本"),
      ("a\tb\r\n", "a\\tb\\r\\n"),
      ("\u{1B}[31m", "\\u{1B}[31m"),
      ("\u{7F}\u{9B}\u{2028}", "\\u{7F}\\u{9B}\\u{2028}"),
      ("\u{202E}\u{200B}\u{A0}", "\\u{202E}\\u{200B}\\u{A0}"),
    ])
  func escape(text: String, expected: String) {
    #expect(escaped(text) == expected)
  }

  @Test("A quoted text is cut after eighty characters")
  func cut() {
    #expect(quoted(String(repeating: "x", count: 80)) == "\"" + String(repeating: "x", count: 80) + "\"")
    #expect(quoted(String(repeating: "x", count: 81)) == "\"" + String(repeating: "x", count: 80) + "…\"")
    #expect(quoted("") == "\"\"")
  }

  @Test("A code point has at least four digits")
  func codePoints() {
    #expect(codePoint("\u{7}") == "U+0007")
    #expect(codePoint("\u{1F600}") == "U+1F600")
  }
}
