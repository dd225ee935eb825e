import Testing

@testable import WebPage
@testable import WebStatus

@Suite("HTML")
struct HTMLTests {
  @Test("What other programs wrote can't become markup")
  func escaping() {
    let hostile = "<script>\"'&\u{1B}[31m\u{202E}\u{9B}"
    let html: HTML = "<p title=\"\(hostile)\">\(hostile)</p>"
    let escaped = "&lt;script&gt;&quot;&#39;&amp;\u{241B}[31m\u{FFFD}\u{FFFD}"
    #expect(html.text == "<p title=\"\(escaped)\">\(escaped)</p>")
    #expect(("\(html)" as HTML).text == html.text)
    #expect(HTML.escape("plain ünïcode → 😀") == "plain ünïcode → 😀")
  }

  @Test(
    "Durations have three digits and a unit",
    arguments: [
      (0, "0 ms"), (0.0123, "12 ms"), (0.9994, "999 ms"), (0.9996, "1.00 s"), (1.254, "1.25 s"), (59.94, "59.9 s"),
      (61, "1 min 1 s"), (3661, "1 h 1 min"), (-1, "?"), (.infinity, "?"),
    ])
  func durations(seconds: Double, words: String) { #expect(seconds.words == words) }

  @Test(
    "A time that goes on has whole units",
    arguments: [
      (-1, "0 s"), (10.9, "10 s"), (61, "1 min 1 s"), (3661, "1 h 1 min"), (172_799, "47 h 59 min"),
      (200_000, "2 days"),
      (.nan, "?"),
    ])
  func ages(seconds: Double, words: String) { #expect(seconds.wholeWords == words) }

  @Test("Numbers in attributes have at most three decimals")
  func attributes() {
    #expect(
      [1.5, 0, -0.25, 1_763_672_399.9004, 0.0004, .nan].map(\.attribute) == [
        "1.500", "0", "-0.250", "1763672399.900", "0", "0",
      ])
  }

  @Test("A splash screen leads only to paths of its own origin")
  func targets() {
    for good in ["/", "/app?x=1#y", "/a//b"] { #expect(SplashPage.local(good) == good) }
    for bad in ["", "//evil.example", "https://evil.example", "/\\evil.example", "/\nx", "javascript:alert(1)", "/ü"] {
      #expect(SplashPage.local(bad) == "/", "\(bad)")
    }
  }
}
