import Testing

@testable import InitText

struct TextWidthTests {
  @Test(
    "Text takes as many columns as a terminal gives it",
    arguments: [
      ("", 0), ("abc", 3), ("日本語", 6), ("é", 1), ("e\u{301}", 1), ("👍", 2), ("ｆ", 2), ("ｶﾞ", 2), ("ﾞ", 1), ("한글", 4),
      ("…", 1),
    ])
  func columns(text: String, columns: Int) {
    #expect(TextWidth.columns(text) == columns)
  }

  @Test(
    "Clipped text never takes more than it may",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("ab", 1, "…"),
      ("ab", 0, ""),
    ])
  func clip(text: String, columns: Int, clipped: String) {
    #expect(TextWidth.clip(text, to: columns) == clipped)
  }

  @Test("Padding counts columns, not characters")
  func pad() {
    #expect(TextWidth.pad("日", to: 4) == "日  ")
    #expect(TextWidth.pad("abc", to: 2) == "abc")
  }
}
