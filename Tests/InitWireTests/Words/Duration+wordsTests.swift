import Testing

@testable import InitWire

@Suite("Durations in words")
struct DurationWordsTests {
  @Test(
    "Durations below one second are in milliseconds, longer ones in seconds",
    arguments: [
      (Duration.zero, "0 ms"), (.milliseconds(514), "514 ms"), (.microseconds(999_600), "1 s"), (.seconds(1), "1 s"),
      (.milliseconds(1500), "1.5 s"), (.seconds(90), "90 s"), (.microseconds(1_500_400), "1.5 s"),
    ])
  func words(_ duration: Duration, _ text: String) { #expect(duration.words == text) }
}
