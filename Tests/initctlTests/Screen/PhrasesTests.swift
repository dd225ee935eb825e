import InitWire
import Testing

@testable import initctl

struct PhrasesTests {
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

  @Test(
    "A moment is RFC 3339 in UTC, to the millisecond",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
      (951_868_799.9996, "2000-03-01T00:00:00.000Z"), (1_763_672_400.123, "2025-11-20T21:00:00.123Z"),
      (-1, "1969-12-31T23:59:59.000Z"), (4_107_542_399, "2100-02-28T23:59:59.000Z"),
      (4_107_542_400, "2100-03-01T00:00:00.000Z"), (1e300, "9999-12-31T23:59:59.000Z"),
    ])
  func moments(seconds: Double, phrase: String) {
    #expect(Phrases.moment(seconds) == phrase)
  }

  @Test("A fraction is rounded down: 100% is all of it")
  func progress() {
    #expect(ProgressShape(fraction: 0.999).phrase == "99%")
    #expect(ProgressShape(fraction: 1, message: "done").phrase == "100% done")
    #expect(ProgressShape(message: "on it").phrase == "on it")
  }

  @Test("Texts of other programs are escaped")
  func escaping() {
    #expect(ProgressShape(message: "\u{1B}[2J").phrase == "\\u{1B}[2J")
    let worker = WorkerShape(client: "a\nb", pid: 1, initializers: ["x"])
    #expect(worker.phrase == "a\\nb (pid 1): x")
    let state = StateShape(.failed, error: ErrorShape(initializer: "a", reason: .duplicateInitializer, message: "\r!"))
    #expect(state.phrase(Style(hasColor: false)) == "failed: \\r!")
  }
}
