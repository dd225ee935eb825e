import EventLoop
import InitModel
import InitWire
import Testing

@testable import InitClient

struct ClientErrorTests {
  @Test(
    "A message says what happened, to what, why, and what to do",
    arguments: [
      (
        ClientError.unreachable(.refused(path: "/run/initd.sock")),
        "cannot connect to /run/initd.sock: no supervisor is listening there; "
          + "start one with initd, or give its socket with --socket"
      ),
      (
        .unreachable(.notFound(path: "/s")),
        "cannot connect to /s: the socket doesn't exist; start one with initd, or give its socket with --socket"
      ),
      (
        .unreachable(.notPermitted(path: "/s")),
        "cannot connect to /s: not permitted; run as the supervisor's user or as root"
      ),
      (
        .silent(path: "/s", after: .milliseconds(1500)),
        "cannot connect to /s: no answer to hello within 1.5 s; check whether the supervisor hangs"
      ),
      (
        .unresponsive(path: "/s", after: .seconds(25)),
        "no answer from the supervisor at /s within 25 s; check whether it hangs, or wait longer with --reply-timeout"
      ),
      (.lost(path: "/s", reason: "the supervisor closed it"), "lost the connection to /s: the supervisor closed it"),
      (.refused(WireError(.nameConflict, "cannot register a: it is b's")), "cannot register a: it is b's"),
      (.timedOut(after: .seconds(30)), "timed out: no answer within 30 s"),
    ])
  func messages(error: ClientError, message: String) {
    #expect("\(error)" == message)
  }

  @Test("Only errors that a starting supervisor causes are retried")
  func mayPass() {
    let passing: [ClientError] = [
      .unreachable(.notFound(path: "/s")), .unreachable(.refused(path: "/s")), .unreachable(.busy(path: "/s")),
      .lost(path: "/s", reason: ""), .silent(path: "/s", after: .zero), .unresponsive(path: "/s", after: .zero),
      .refused(WireError(.shuttingDown, "")),
    ]
    let lasting: [ClientError] = [
      .noSocketPath, .unreachable(.notPermitted(path: "/s")), .unreachable(.pathUnusable(path: "", maximum: 107)),
      .notASupervisor(path: "/s", reason: ""), .refused(WireError(.notPermitted, "")), .closed, .cancelled,
    ]
    #expect(passing.filter(\.mayPass) == passing)
    #expect(lasting.filter(\.mayPass) == [])
  }
}
