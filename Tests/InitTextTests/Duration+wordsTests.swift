import Testing

@testable import InitText

@Suite("Durations in words")
struct DurationWordsTests {
  @Test(
    "Below a second they are milliseconds, below a minute seconds, and from there two units",
    arguments: [
      (Duration.zero, "0 ms"), (.milliseconds(514), "514 ms"), (.microseconds(999_600), "1 s"), (.seconds(1), "1 s"),
      (.milliseconds(1500), "1.5 s"), (.seconds(90), "1 min 30 s"), (.microseconds(59_999_600), "1 min"),
      (.seconds(133) + .milliseconds(600), "2 min 14 s"), (.seconds(3600), "1 h"), (.seconds(11_100), "3 h 5 min"),
      (.seconds(90_061), "1 d 1 h"),
      (.seconds(1e12), "11574074 d 1 h"), (.microseconds(1_500_400), "1.5 s"),
    ])
  func words(_ duration: Duration, _ text: String) { #expect(duration.words == text) }
}
