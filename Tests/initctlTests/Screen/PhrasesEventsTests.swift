import InitModel
import InitWire
import InitWords
import Testing

@testable import initctl

struct PhrasesEventsTests {
  private func shape(
    _ status: InitializerStatus, attempt: Int = 1, _ change: (inout Initializer) -> Void = { _ in }
  ) -> Initializer {
    var shape = Initializer.fake("flags", status, attempt: attempt, duration: 2.506)
    change(&shape)
    return shape
  }

  @Test("The sentences are those of the supervisor's log")
  func sentences() {
    let error = InitializationError(
      initializer: "flags", reason: .initializerFailed(cause: .exit(status: 22)),
      message: "flags failed: exit status 22")
    let expected: [(Initializer, String)] = [
      (shape(.running), "flags started"), (shape(.running, attempt: 2), "flags started (attempt 2)"),
      (shape(.running) { $0.pid = 12 }, "flags is running: pid 12"),
      (shape(.complete), "flags is complete after 2.5 s"),
      (shape(.failed) { $0.error = error }, "flags failed after 2.5 s: exit status 22"),
      (
        shape(.failed, attempt: 4) {
          $0.error = error
          $0.attempts = 4
        },
        "flags: attempt 4 of 4 failed after 2.5 s: exit status 22"
      ),
      (
        shape(.waiting) {
          $0.error = error
          $0.attempts = 4
          $0.nextAttempt = 1001.025
        },
        "flags: attempt 1 of 4 failed after 2.5 s: exit status 22; next attempt in 1 s"
      ),
      (shape(.cancelled) { $0.blockedBy = "tables" }, "flags cancelled: tables failed first"),
      (shape(.notRun) { $0.blockedBy = "tables" }, "flags not run: tables failed first"),
      (shape(.idle), "flags is idle"),
    ]
    for (shape, sentence) in expected { #expect(shape.news(at: 1000) == sentence) }
  }

  @Test("What runs already, and what a lost worker provided, is reported as it is")
  func present() {
    #expect(shape(.running).sentence(at: 1000) == "flags is running")
    let lost = shape(.complete) {
      $0.provider = .known(.worker)
      $0.available = false
    }
    #expect(lost.sentence(at: 1000) == "flags is complete after 2.5 s: its worker has disconnected")
  }

  @Test("For people the word is not run")
  func notRun() {
    #expect(Word<InitializerStatus>.known(.notRun).phrase == "not run")
    #expect(Word<InitializerStatus>.unknown("no\rt").phrase == "no\\rt")
  }
}
