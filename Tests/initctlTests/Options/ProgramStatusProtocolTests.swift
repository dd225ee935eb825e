import CommandLineOptions
import EventLoop
import InitClient
import InitModel
import InitProcesses
import InitWire
import Testing

@testable import initctl

struct ProgramStatusProtocolTests {
  @Test(
    "Every error has its exit status (§9)",
    arguments: [
      (ClientError.noSocketPath, 69), (.unreachable(.notFound(path: "/s")), 69),
      (.unreachable(.refused(path: "/s")), 69),
      (.unreachable(.pathUnusable(path: "", maximum: 107)), 69), (.unreachable(.notPermitted(path: "/s")), 77),
      (.silent(path: "/s", after: .zero), 69), (.notASupervisor(path: "/s", reason: ""), 69),
      (.lost(path: "/s", reason: ""), 69), (.unresponsive(path: "/s", after: .zero), 69),
      (.refused(WireError(.notPermitted, "")), 77),
      (.refused(WireError(.timeout, "")), 124), (.refused(WireError(.unknownInitializer, "")), 64),
      (.refused(WireError(.shuttingDown, "")), 1), (.refused(WireError(.nameConflict, "")), 1),
      (.refused(WireError(code: 17, message: "")), 1), (.timedOut(after: .zero), 124), (.unsendable(""), 1),
    ])
  func errors(error: ClientError, status: Int) {
    #expect(Int(ProgramStatus(for: error).rawValue) == status)
  }

  @Test("A command's status is its own, and 128 + n for a signal (§9)")
  func commands() {
    #expect(ProgramStatus(for: ExitStatus.exited(0)).rawValue == 0)
    #expect(ProgramStatus(for: ExitStatus.exited(42)).rawValue == 42)
    #expect(ProgramStatus(for: ExitStatus.signaled(9)).rawValue == 137)
    #expect(ProgramStatus(for: ExitStatus.signaled(34)).rawValue == 162)
  }
}
