import InitWords
import Testing

@testable import InitCore
@testable import InitRunner

@Suite("CommandEnvironment")
struct CommandEnvironmentTests {
  private let start = RunStart(
    run: 7, initializer: "migrate", pass: 3, phase: .active, attempt: 2, timeout: nil, worker: nil)

  @Test("The variables of a run contain everything that a command needs")
  func run() {
    #expect(
      variables(notifySocket: "/n") == [
        "INITD_SOCKET": "/s", "INITD_INITIALIZER": "migrate", "INITD_RUN": "7", "INITD_PASS": "3",
        "INITD_PHASE": "active", "INITD_ATTEMPT": "2", "NOTIFY_SOCKET": "/n", "TRACEPARENT": "00-t-s-01",
      ])
  }

  @Test("Without a notification socket of its own, a command doesn't get the supervisor's")
  func withoutNotify() {
    #expect(variables(notifySocket: nil)["NOTIFY_SOCKET"] == nil)
    #expect(CommandEnvironment.common(["A": "1", "NOTIFY_SOCKET": "/systemd"]) == ["A": "1"])
  }

  @Test("A command doesn't get the supervisor's own trace context, output file or inputs")
  func ofOthers() {
    let variables = [
      "A": "1", "TRACEPARENT": "00-1", "TRACESTATE": "x=1", "INITD_OUTPUT": "/o", "INITD_INPUT_B": "2", "TRACE": "t",
    ]
    #expect(CommandEnvironment.common(variables) == ["A": "1", "TRACE": "t"])
  }

  /// Traps if a name appears twice.
  private func variables(notifySocket: String?) -> [String: String] {
    let variables = CommandEnvironment.run(
      start, socketPath: "/s", notifySocket: notifySocket, traceparent: "00-t-s-01")
    return Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })
  }
}
