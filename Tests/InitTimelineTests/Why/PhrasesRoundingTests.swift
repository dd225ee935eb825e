import Testing

@testable import InitTimeline

@Suite("Rounded durations")
struct PhrasesRoundingTests {
  @Test("A change is the difference of the durations that are shown")
  func changes() {
    let expected: [(Double, Double, String, String?)] = [
      (0.1074, 0.1094, "+2 ms", "+2%"), (0.1084, 0.1076, "±0 ms", "+0%"), (1.24, 1.26, "+100 ms", "+8%"),
      (0.9, 1.24, "+300 ms", "+33%"), (2, 0.5, "-1.5 s", "-75%"), (0, 0.3, "+300 ms", nil), (0.0004, 1, "+1 s", nil),
      (59.9, 61, "+1.1 s", "+2%"), (3599.6, 3660, "+1 min", "+2%"),
    ]
    for (before, after, change, percent) in expected {
      #expect(Phrases.change(before, after) == change)
      #expect(Phrases.percent(before, after) == percent)
    }
  }

  @Test("A rounded duration is shown as the duration itself")
  func rounded() {
    var seconds = 0.0001
    while seconds < 1e7 {
      #expect(Phrases.duration(Phrases.rounded(seconds)) == Phrases.duration(seconds), "\(seconds)")
      seconds *= 1.01
    }
    #expect([-1, .infinity, .nan].map(Phrases.rounded) == [0, 0, 0])
  }
}
