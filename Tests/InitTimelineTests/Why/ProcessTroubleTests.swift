import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("Trouble of kept processes")
struct ProcessTroubleTests {
  @Test("A process is in trouble if it should run and doesn't, or was restarted a moment ago after a failure")
  func trouble() {
    let failed = Cause.exit(status: 3)
    let expected: [(Status.Process, Status.Process.Trouble?)] = [
      (Status.Process(name: "new"), nil), (Status.Process(name: "up", pid: 4, uptime: 1), nil),
      (Status.Process(name: "ended", lastExit: .exit(status: 0)), nil),
      (Status.Process(name: "failed", lastExit: failed), .notRunning),
      (Status.Process(name: "again", lastExit: .exit(status: 0), nextStart: 1001), .notRunning),
      (Status.Process(name: "given", restarts: 9, lastExit: failed, givenUp: true), .notRunning),
      (Status.Process(name: "back", pid: 4, uptime: 7.9, restarts: 1, lastExit: failed), .restarted),
      (Status.Process(name: "settled", pid: 4, uptime: 8, restarts: 1, lastExit: failed), nil),
      (Status.Process(name: "told", pid: 4, uptime: 1, restarts: 1, lastExit: .exit(status: 0)), nil),
    ]
    // The shape is 2 s old.
    for (process, trouble) in expected { #expect(process.trouble(at: 1000, of: 998) == trouble, "\(process.name)") }
  }

  @Test("One sentence tells of one process, or names several")
  func sentence() {
    var status = Status.fake([])
    #expect(Situation(status).processTrouble == nil)
    status.processes = [Status.Process(name: "a", pid: 4, uptime: 0.4, restarts: 1, lastExit: .signal("SIGSEGV"))]
    #expect(
      Situation(status).processTrouble
        == "the process a was restarted: up 400 ms, 1 restart, last: terminated by SIGSEGV; see initctl logs a")
    status.processes?.append(Status.Process(name: "b", lastExit: .exit(status: 1)))
    #expect(
      Situation(status).processTrouble
        == "2 processes don't run, or were restarted: a and b; initctl why explains it")
    status.processes?[0] = Status.Process(name: "a", lastExit: .exit(status: 1))
    #expect(Situation(status).processTrouble == "2 processes don't run: a and b; initctl why explains it")
    status.processes = ["a", "b"].map {
      Status.Process(name: $0, pid: 4, uptime: 0.4, restarts: 1, lastExit: .exit(status: 1))
    }
    #expect(Situation(status).processTrouble == "2 processes were restarted: a and b; initctl why explains it")
  }
}
