import Glibc
import LoopScenes
import Testing

@testable import EventLoop
@testable import Platform

@Suite("SignalQueue")
struct SignalQueueTests {
  @Test("A signal that the process sends itself is dropped, and doesn't end it")
  func own() async {
    await #expect(processExitsWith: .exitCode(3)) {
      let loop = try Loop()
      let queue = try SignalQueue(loop: loop, signals: [SIGUSR1, SIGXFSZ]) { _ in exit(1) }
      ProcessStart.unblockAllSignals()
      for number in [SIGUSR1, SIGXFSZ] { pthread_kill(pthread_self(), number) }
      // In the turn after the next one, the signals have been read.
      loop.performNextTurn { loop.performNextTurn { exit(3) } }
      withExtendedLifetime(queue) { loop.run() }
    }
  }

  @Test("Other signals keep their actions")
  func others() async {
    await #expect(processExitsWith: .signal(SIGUSR2)) {
      let loop = try Loop()
      let queue = try SignalQueue(loop: loop, signals: [SIGUSR1]) { _ in exit(1) }
      ProcessStart.unblockAllSignals()
      pthread_kill(pthread_self(), SIGUSR2)
      withExtendedLifetime(queue) { exit(2) }
    }
  }
}
