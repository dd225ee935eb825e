import Testing

@testable import InitText

struct TerminalTextOutputTests {
  @Test(
    "Of a line of output, people see its last state, without colours",
    arguments: [
      ("plain, with ünïcode\u{1F600}", "plain, with ünïcode\u{1F600}"),
      (" 10%\r 50%\r100%", "100%"),
      (" 10%\r 50%\r", " 50%"),
      ("50%\r\u{1B}[K", "50%"),
      ("50%\r        \rdone", "done"),
      ("50%\r        \r", "50%"),
      ("\r", ""),
      ("\u{1B}[1;31mFAILED\u{1B}[0m in \u{1B}[38;2;1;2;3mred\u{1B}[m", "FAILED in red"),
      ("\u{1B}[2K\u{1B}[1G up\u{1B}(B\u{1B}[m", " up"),
      ("\u{1B}]8;;http://x/\u{1B}\\a link\u{1B}]8;;\u{1B}\\ and \u{1B}]0;a title\u{07}text", "a link and text"),
    ])
  func shown(line: String, text: String) {
    #expect(TerminalText.plain(line) == text)
    #expect(TerminalText.output(line) == text)
  }

  @Test(
    "What isn't a complete escape sequence stays, and everything is safe for a terminal",
    arguments: [
      ("an end\u{1B}", "an end\\u{1B}"), ("\u{1B}[31", "\\u{1B}[31"), ("\u{1B}[3\u{1}m", "\\u{1B}[3\\u{1}m"),
      ("\u{1B}]0;open", "\\u{1B}]0;open"), ("\u{1B}]0;\u{1B}[0mx", "\\u{1B}]0;x"),
      ("\u{1B}c\u{1B}(", "\\u{1B}c\\u{1B}("),
      ("no\u{1B} host", "no\\u{1B} host"), ("\u{1B}\u{1B}[0m[31m", "\\u{1B}[31m"), ("a\tb\u{9B}31m", "a\\tb\\u{9B}31m"),
      ("\u{202E}\r\u{7}", "\\u{7}"),
    ])
  func incomplete(line: String, text: String) {
    #expect(TerminalText.output(line) == text)
  }
}
