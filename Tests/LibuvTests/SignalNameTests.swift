import Testing

@testable import Libuv

@Suite("SignalName")
struct SignalNameTests {
  @Test(
    "Signals have the names that people know",
    arguments: [
      (9, "SIGKILL"), (15, "SIGTERM"), (11, "SIGSEGV"), (31, "SIGSYS"), (32, "signal 32"), (33, "signal 33"),
      (34, "SIGRTMIN"), (35, "SIGRTMIN+1"), (64, "SIGRTMIN+30"), (0, "signal 0"),
    ] as [(Int32, String)])
  func names(number: Int32, name: String) {
    #expect(SignalName.of(number) == name)
  }

  @Test("The first 31 all have one")
  func complete() {
    let names = (1...31).map { SignalName.of($0) }
    #expect(names.allSatisfy { $0.hasPrefix("SIG") && !$0.contains("RTMIN") })
    #expect(Set(names).count == 31)
  }
}
