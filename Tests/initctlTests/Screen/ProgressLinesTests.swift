import InitModel
import InitWire
import InitWords
import Testing

@testable import initctl

struct ProgressLinesTests {
  private static let moment = "1970-01-01T00:16:40.000Z"

  private func event(_ body: Status.Event.Body) -> Status.Event { Status.Event(seq: 1, time: 1000, body: body) }

  @Test("A line says what starts, fails, will be retried and completes; nothing else has one")
  func initializers() {
    var lines = ProgressLines(.fake)
    func line(_ each: Initializer) -> String { lines.lines(event(.initializer(each))) }
    #expect(line(.fake("a", .waiting)) == "")
    #expect(line(.fake("a", .running)) == "\(Self.moment) a started\n")
    var retried = Initializer.fake("a", .waiting, duration: 0.5, error: .exit3)
    retried.attempts = 3
    retried.nextAttempt = 1001
    #expect(
      line(retried)
        == "\(Self.moment) a: attempt 1 of 3 failed after 500 ms: cannot initialize prices: exit status 3; next attempt in 1 s\n"
    )
    #expect(line(.fake("a", .complete, duration: 1.25)) == "\(Self.moment) a is complete after 1.3 s\n")
    #expect(line(.fake("b", .notRun)) == "")
    var cancelled = Initializer.fake("b", .cancelled, duration: 1)
    cancelled.blockedBy = "a\u{1B}"
    #expect(line(cancelled) == "\(Self.moment) b cancelled: a\\u{1B} failed first\n")
  }

  @Test("Progress reports of a run that was told, and what has happened before, have no line")
  func repeated() {
    var lines = ProgressLines(.fake)
    #expect(lines.lines(event(.initializer(.fake("migrate", .complete, duration: 0.21)))) == "")
    #expect(lines.lines(event(.initializer(.fake("a", .running)))) != "")
    let report = Initializer.fake("a", .running, progress: Initializer.Progress(fraction: 0.5))
    #expect(lines.lines(event(.initializer(report))) == "")
    var again = report
    again.run = 2
    #expect(lines.lines(event(.initializer(again))).hasSuffix("a is running: 50%\n"))
  }

  @Test("Passes are reported, and events that were dropped")
  func others() {
    var lines = ProgressLines(.fake)
    for (status, words) in [
      (Status.Event.PassChange.StatusWord.started, "started"), (.complete, "is complete"), (.failed, "failed"),
      (.cancelled, "was cancelled"),
    ] {
      let pass = Status.Event.PassChange(pass: 3, phase: .active, status: status)
      #expect(lines.lines(event(.pass(pass))) == "\(Self.moment) active pass 3 \(words)\n")
    }
    #expect(lines.lines(Status.Event(unnumbered: .lagged(dropped: 7))).hasPrefix("7 events were dropped"))
    #expect(lines.lines(Status.Event(unnumbered: .shutdown)) == "")
  }
}
