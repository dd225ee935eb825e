import Testing

@testable import InitCore
@testable import InitSupervisor

@Suite("CommandEnvironment")
struct CommandEnvironmentTests {
  private let start = RunStart(
    run: 7, initializer: "migrate", pass: 3, phase: .active, attempt: 2, timeout: nil, worker: nil)

  @Test("A command finds the base, its own on top of that, and on top of both what speaks of its run")
  func layers() {
    let environment = CommandEnvironment.run(
      start, base: ["A": "base", "B": "base", "INITD_RUN": "base"], own: ["B": "own", "INITD_PASS": "own"],
      socketPath: "/s", notifySocket: "/n")
    #expect(
      environment == [
        "A": "base", "B": "own", "INITD_SOCKET": "/s", "INITD_INITIALIZER": "migrate", "INITD_RUN": "7",
        "INITD_PASS": "3", "INITD_PHASE": "active", "INITD_ATTEMPT": "2", "NOTIFY_SOCKET": "/n",
      ])
  }

  @Test("Without a socket of its own it has none, not another's")
  func withoutNotify() {
    let environment = CommandEnvironment.run(
      start, base: ["NOTIFY_SOCKET": "/systemd"], own: ["NOTIFY_SOCKET": "/own"], socketPath: "/s", notifySocket: nil)
    #expect(environment["NOTIFY_SOCKET"] == nil)
  }

  @Test("What a service manager meant for the supervisor alone isn't inherited")
  func inherited() {
    let variables = [
      "PATH": "/bin", "NOTIFY_SOCKET": "x", "LISTEN_FDS": "1", "LISTEN_PID": "2", "WATCHDOG_USEC": "3",
      "LISTEN": "kept",
      "MY_LISTEN_FDS": "kept",
    ]
    #expect(
      SupervisorConfiguration.inherited(variables) == ["PATH": "/bin", "LISTEN": "kept", "MY_LISTEN_FDS": "kept"])
  }
}
