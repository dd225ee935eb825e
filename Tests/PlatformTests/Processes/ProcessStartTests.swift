import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("ProcessStart")
struct ProcessStartTests {
  @Test("Inherited masks and an ignored SIGCHLD are undone")
  func signals() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
      var action = sigaction()
      action.__sigaction_handler.sa_handler = SIG_IGN
      sigaction(SIGCHLD, &action, nil)
      ProcessStart.unblockAllSignals()
      ProcessStart.defaultChildSignal()
      guard try run(["/bin/false"]) == 1 << 8 else { return }
      // It ends this process only if it isn't blocked.
      pthread_kill(pthread_self(), SIGTERM)
    }
  }

  @Test("A closed standard output gets /dev/null, and a result still can't be written to it; messages may get lost")
  func closedStreams() async {
    await #expect(processExitsWith: .exitCode(EBADF)) {
      for number: Int32 in 0...2 { close(number) }
      try ProcessStart.prepare()
      guard fcntl(0, F_GETFD) == 0, fcntl(1, F_GETFD) == 0, Glibc.write(2, "x", 1) == 1 else { exit(0) }
      do throws(SystemError) { try StandardStream.output.write([0]) } catch { exit(error.errno) }
      exit(0)
    }
  }

  @Test("A write without a reader becomes an error")
  func brokenPipes() async {
    await #expect(processExitsWith: .exitCode(EPIPE)) {
      try ProcessStart.prepare()
      let (read, write) = try Descriptor.pipe()
      read.close()
      exit(Glibc.write(write.number, "x", 1) < 0 ? errno : 0)
    }
  }
}
