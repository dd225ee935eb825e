import InitModel
import InitTimeline
import InitWire
import InitWords
import Testing

@testable import initctl

struct PhrasesTests {
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

  @Test("Texts of other programs are escaped")
  func escaping() {
    let worker = Status.Worker(client: "a\nb", pid: 1, initializers: ["x"])
    #expect(worker.phrase == "a\\nb (pid 1): x")
    let state = Status.State(
      .failed, error: InitializationError(initializer: "a", reason: .duplicateInitializer, message: "\r!"))
    #expect(state.phrase(Style(hasColor: false)) == "failed: \\r!")
  }

  @Test("The total of one that was retried is from its first attempt on, with all pauses; others have none")
  func total() {
    var each = Initializer.fake("a", .running, attempt: 2, started: 995)
    each.firstStarted = 990
    #expect(each.total(at: 1000) == 10 && each.elapsed(at: 1000) == 5)
    each.status = .known(.complete)
    each.duration = 2
    #expect(each.total(at: 1000) == 7 && each.elapsed(at: 1000) == 2)
    each.status = .known(.waiting)
    each.firstStarted = nil
    each.nextAttempt = 1003
    #expect(each.total(at: 1000) == 5 && each.elapsed(at: 1000) == 2)
    each.nextAttempt = nil
    #expect(each.total(at: 1000) == nil)
  }
}
