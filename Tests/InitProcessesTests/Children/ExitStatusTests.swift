import Testing

import enum InitProcesses.ExitStatus

@testable import InitProcesses

struct ExitStatusTests {
  @Test(
    "A wait status is decoded, named, and given as a shell does",
    arguments: [
      (0x0000, "ended: exit status 0", 0), (0x0300, "ended: exit status 3", 3), (0xFF00, "ended: exit status 255", 255),
      (0x000F, "was terminated by SIGTERM", 143), (0x008B, "was terminated by SIGSEGV", 139),
    ] as [(Int32, String, Int32)])
  func decoding(waitStatus: Int32, predicate: String, ofShell: Int32) {
    let status = ExitStatus(waitStatus: waitStatus)
    #expect(status.predicate == predicate)
    #expect(status.ofShell == ofShell)
  }
}
