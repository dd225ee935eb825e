import Glibc
import Testing

@testable import InitProcesses

@Suite("SignalName")
struct SignalNameTests {
  @Test(
    "Signals have their usual names",
    arguments: [
      (9, "SIGKILL"), (15, "SIGTERM"), (11, "SIGSEGV"), (31, "SIGSYS"), (32, "signal 32"), (33, "signal 33"),
      (34, "SIGRTMIN"), (35, "SIGRTMIN+1"), (64, "SIGRTMIN+30"), (0, "signal 0"),
    ] as [(Int32, String)])
  func names(number: Int32, name: String) {
    #expect(SignalName.of(number) == name)
  }

  @Test("The first 31 signals all have a name")
  func complete() {
    let names = (1...31).map { SignalName.of($0) }
    #expect(names.allSatisfy { $0.hasPrefix("SIG") && !$0.contains("RTMIN") })
    #expect(Set(names).count == 31)
  }

  @Test("A signal is found by name, with or without SIG, in either case, and by number")
  func numbers() {
    for name in ["USR1", "SIGUSR1", "usr1", "sigusr1", "\(SIGUSR1)"] { #expect(SignalName.number(of: name) == SIGUSR1) }
    #expect(SignalName.number(of: "RTMIN+2") == 36)
    for name in ["", "SIG", "NOPE", "0", "65", "-1", "1x"] { #expect(SignalName.number(of: name) == nil) }
    for number: Int32 in 1...64 where SignalName.of(number) != "signal \(number)" {
      #expect(SignalName.number(of: SignalName.of(number)) == number)
    }
  }
}
