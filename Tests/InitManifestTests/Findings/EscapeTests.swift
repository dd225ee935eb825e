import Testing

@testable import InitManifest

@Suite struct EscapeTests {
  @Test("A code point has at least four digits")
  func codePoints() {
    #expect(codePoint("\u{7}") == "U+0007")
    #expect(codePoint("\u{1F600}") == "U+1F600")
  }
}
