import Testing

@testable import InitForecasts
@testable import InitHistory
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

  @Test("A duration is rounded once, and as it is shown")
  func rounded() {
    for (seconds, rounded, shown) in [
      (0.0006, 0.001, "1 ms"), (1.26, 1.3, "1.3 s"), (59.96, 60, "1 min"), (87.45, 87, "1 min 27 s"),
      (3599.6, 3600, "1 h"), (9119, 9060, "2 h 31 min"), (90_001, 90_000, "1 d 1 h"),
    ] {
      #expect(Phrases.rounded(seconds) == rounded)
      #expect(Phrases.duration(seconds) == shown)
    }
    #expect([-1, .infinity, .nan].map(Phrases.rounded) == [0, 0, 0])
  }
}
