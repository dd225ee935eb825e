import Testing

@testable import InitText

@Suite struct SuggestionTests {
  static let keys = ["command", "worker", "dependencies", "timeout", "retry", "workingDirectory", "environment"]

  @Test(
    "A typing mistake finds the intended word",
    arguments: [
      ("comand", "command"), ("commnad", "command"), ("Command", "command"), ("timeOut", "timeout"),
      ("time_out", "timeout"), ("working-directory", "workingDirectory"), ("dependancies", "dependencies"),
      ("wroker", "worker"), ("env", "environment"), ("timeouts", "timeout"),
    ])
  func near(word: String, meant: String) {
    #expect(Suggestion.nearest(to: word, among: Self.keys) == meant)
  }

  @Test("A word without a near candidate has no suggestion", arguments: ["", "x", "wo", "foo", "description", "---"])
  func far(word: String) {
    #expect(Suggestion.nearest(to: word, among: Self.keys) == nil)
  }

  @Test("The nearest candidate wins, or the first of equally near ones")
  func nearest() {
    #expect(Suggestion.nearest(to: "cache-3", among: ["cache-11", "cache-1", "cache-2"]) == "cache-1")
    #expect(Suggestion.nearest(to: "cachen", among: ["cached-x", "cache"]) == "cache")
  }

  @Test("A prefix of two candidates suggests neither")
  func ambiguous() {
    #expect(Suggestion.nearest(to: "toggles", among: ["toggles-of-today", "toggles-of-yesterday"]) == nil)
  }

  @Test("A short name isn't near another one if they have no letters in common")
  func short() {
    #expect(Suggestion.nearest(to: "b", among: ["a", "c"]) == nil)
  }

  @Test(
    "The distance counts insertions, omissions, replacements and swaps",
    arguments: [
      ("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("abcd", "acbd", 1),
      ("flaw", "lawn", 2),
    ])
  func distance(left: String, right: String, expected: Int) {
    #expect(Suggestion.distance(Array(left.utf8), Array(right.utf8), atMost: 9) == expected)
    #expect(Suggestion.distance(Array(right.utf8), Array(left.utf8), atMost: expected) == expected)
    #expect(Suggestion.distance(Array(left.utf8), Array(right.utf8), atMost: expected - 1) == nil)
  }

  @Test("A very long word isn't near any other")
  func long() {
    let word = String(repeating: "x", count: 65)
    #expect(Suggestion.nearest(to: word, among: [word + "y"]) == nil)
  }
}
