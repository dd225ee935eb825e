import Glibc
import Testing

@testable import Libuv

@Suite("ProcessStart")
struct ProcessStartTests {
  @Test("Closed standard streams lead to /dev/null, open ones stay")
  func repair() async {
    await #expect(processExitsWith: .success) {
      let saved = (0...2).map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
      let (read, write) = try Descriptor.pipe()
      dup2(write.number, 1)
      close(0)
      close(2)
      try ProcessStart.repairStandardDescriptors()
      let targets = (0...2).map { descriptorTarget($0) }
      let keepsOut = targets[1] == descriptorTarget(write.number)
      for (number, copy) in saved.enumerated() { dup2(copy, Int32(number)) }
      #expect(targets[0] == "/dev/null" && targets[2] == "/dev/null" && keepsOut)
      _ = read
    }
  }

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
      guard try run(["/bin/false"]) == 1 << 8 else { return }
      // It ends us only if it isn't blocked.
      pthread_kill(pthread_self(), SIGTERM)
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
