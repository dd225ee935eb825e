import Testing

@testable import InitSupervisor

@Suite("SupervisorConfiguration")
struct SupervisorConfigurationTests {
  @Test("Variables that a service manager sets for the supervisor itself aren't inherited")
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
