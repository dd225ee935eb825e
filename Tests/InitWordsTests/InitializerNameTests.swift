import Testing

@testable import InitWords

struct InitializerNameTests {
  @Test("a name has 1 to 128 bytes of the allowed characters, and starts with a letter or digit (protocol §4)")
  func names() {
    for name in ["a", "Z", "0", "a.b_c:d/e@f+g-h", "9-", String(repeating: "a", count: 128)] {
      #expect(InitializerName.isValid(name), "\(name)")
    }
    for name in [
      "", ".a", "_a", ":a", "/a", "@a", "+a", "-a", " a", "a ", "a b", "a\n", "a\u{0}", "é", "aé", "a\u{301}",
      "\u{212A}",
      "a,b", "a~", "a\\", "a\"", "a`", "a[", "a{", "a;", "a?", "a#", "a%", "a*", "a(",
      String(repeating: "a", count: 129),
    ] { #expect(!InitializerName.isValid(name), "\(name)") }
  }

  @Test("only the listed characters are allowed, and only letters and digits at the start")
  func allBytes() {
    let may = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@+-".unicodeScalars)
    for value in UInt32(0)..<0x250 {
      let scalar = Unicode.Scalar(value)!
      #expect(InitializerName.isValid("a\(scalar)") == may.contains(scalar))
      #expect(
        InitializerName.isValid("\(scalar)a") == (may.contains(scalar) && !"._:/@+-".unicodeScalars.contains(scalar)))
    }
  }
}
