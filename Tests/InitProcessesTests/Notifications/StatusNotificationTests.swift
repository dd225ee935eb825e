import Testing

@testable import InitProcesses

@Suite("StatusNotification")
struct StatusNotificationTests {
  private func read(_ text: String) -> StatusNotification { StatusNotification(Array(text.utf8)) }

  @Test("Lines of sd_notify are read, in any order, with or without the last newline (S15, S17)")
  func whole() {
    let told = read("EXTEND_TIMEOUT_USEC=1500000\nSTATUS=half of it\nX_INITD_PROGRESS=0.5\n")
    #expect(told.message == "half of it")
    #expect(told.fraction == 0.5)
    #expect(told.extend == .milliseconds(1500))
    #expect(read("STATUS=a=b").message == "a=b")
    #expect(read("STATUS=").message == "")
  }

  @Test("ERRNO= has the system's text for the error, unless STATUS= is given")
  func errorNumber() {
    #expect(read("ERRNO=2").message == "No such file or directory")
    #expect(read("ERRNO=2\nSTATUS=no database").message == "no database")
    #expect(read("ERRNO=two").isEmpty)
  }

  @Test(
    "Unknown names and invalid values are ignored",
    arguments: [
      "", "\n\n", "READY=0", "STATUS", "=x", "ERRNO=0", "ERRNO=-1",
      "ERRNO=4096", "status=x", "X_INITD_PROGRESS=", "X_INITD_PROGRESS=half",
      "X_INITD_PROGRESS=nan", "X_INITD_PROGRESS=1.5", "X_INITD_PROGRESS=-0.1", "X_INITD_PROGRESS=inf",
      "EXTEND_TIMEOUT_USEC=-1", "EXTEND_TIMEOUT_USEC=1.5", "EXTEND_TIMEOUT_USEC=99999999999999999999",
    ])
  func ignored(text: String) {
    #expect(read(text).isEmpty)
  }

  @Test("Fractions include 0 and 1, and no extension is longer than 10⁹ s")
  func ends() {
    #expect(read("X_INITD_PROGRESS=0").fraction == 0)
    #expect(read("X_INITD_PROGRESS=1").fraction == 1)
    #expect(read("EXTEND_TIMEOUT_USEC=18446744073709551615").extend == .seconds(1_000_000_000))
    #expect(!read("EXTEND_TIMEOUT_USEC=0").isEmpty)
  }

  @Test("Bytes that aren't UTF-8 are replaced, and a later line wins")
  func oddities() {
    #expect(StatusNotification(Array("STATUS=a".utf8) + [0xFF]).message == "a\u{FFFD}")
    #expect(read("STATUS=a\nSTATUS=b").message == "b")
  }

  @Test("READY=1 says that the process is ready, and nothing else does")
  func ready() {
    #expect(StatusNotification(Array("STATUS=x\nREADY=1\n".utf8)).isReady)
    for text in ["READY=0", "READY=", "READY", "XREADY=1", "READY=11"] {
      #expect(!StatusNotification(Array(text.utf8)).isReady, "\(text)")
    }
  }
}
