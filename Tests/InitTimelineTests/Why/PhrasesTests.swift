import InitModel
import InitWire
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("Phrases of InitTimeline")
struct QuantityTests {
  @Test(
    "A duration has the two units that matter",
    arguments: [
      (0, "0 ms"), (-1, "0 ms"), (0.0004, "0 ms"), (0.21, "210 ms"), (0.9996, "1 s"), (1.25, "1.3 s"),
      (59.94, "59.9 s"),
      (59.96, "1 min"), (133, "2 min 13 s"), (3600, "1 h"), (90061, "1 d 1 h"), (Double.infinity, "0 ms"),
    ])
  func durations(seconds: Double, phrase: String) {
    #expect(Phrases.duration(seconds) == phrase)
  }

  @Test("A fraction is rounded down: 100% is all of it")
  func progress() {
    #expect(Initializer.Progress(fraction: 0.999).phrase == "99%")
    #expect(Initializer.Progress(fraction: 1, message: "done").phrase == "100% done")
    #expect(Initializer.Progress(message: "on it").phrase == "on it")
  }
}
