import InitCore
import Testing

@Suite("S30: input patterns")
struct InputPatternTests {
  private func matches(_ pattern: String, _ name: String) -> Bool { NamePattern(pattern[...]).matches(name) }

  @Test("S30: a star stands for any characters, a question mark for one, brackets for one of a set")
  func wildcards() {
    for (pattern, name, isMatch) in [
      ("*.sql", "1.sql", true), ("*.sql", ".sql", false), ("*.sql", "1.sql.bak", false), ("*", "a", true),
      ("a*b*c", "abc", true), ("a*b*c", "aXbXbXc", true), ("a*b*c", "aXbX", false), ("a**", "a", true),
      ("?", "é", true), ("?", "ab", false), ("?", "", false), ("[a-c]1", "b1", true), ("[a-c]1", "d1", false),
      ("[!a-c]1", "d1", true), ("[^a-c]1", "b1", false), ("[]]", "]", true), ("[!]]", "]", false), ("[-a]", "-", true),
      ("[a-]", "-", true), ("[*]", "*", true), ("[*]", "x", false), ("[z-a]", "m", false), ("a[", "a[", true),
      ("a[b", "a[b", true), ("[!", "[!", true),
    ] {
      #expect(matches(pattern, name) == isMatch, "\(pattern) \(name)")
    }
  }

  @Test("S30: only a dot at the beginning of the pattern stands for a dot at the beginning of a name")
  func hidden() {
    #expect(!matches("*", ".env"))
    #expect(!matches("?env", ".env"))
    #expect(InputPattern("[.]env").components == [.name(".env")])
    #expect(!matches("[.-]env", ".env"))
    #expect(matches(".*", ".env"))
    #expect(matches("*", "a.env"))
  }

  @Test("S30: a long pattern of stars takes no more than quadratic time")
  func stars() {
    let pattern = String(repeating: "*a", count: 200) + "b"
    #expect(!matches(pattern, String(repeating: "a", count: 4000)))
  }

  @Test("S30: components without wildcards are names, and those of two stars any directories")
  func components() {
    #expect(InputPattern("a/./b//c").components == [.name("a"), .name("b"), .name("c")])
    #expect(InputPattern("../[*]").components == [.name(".."), .name("*")])
    #expect(InputPattern("src/**/**/*.py").components.prefix(2) == [.name("src"), .directories])
    #expect(InputPattern("src/**/**/*.py").components.count == 3)
    #expect(InputPattern("/a").isAbsolute)
    #expect(!InputPattern("a").isAbsolute)
    #expect(InputPattern(".").components == [])
    #expect("\(InputPattern("a/./b"))" == "a/./b")
  }
}
