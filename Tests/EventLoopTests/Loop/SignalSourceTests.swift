import Glibc
import LoopScenes
import Testing

@testable import EventLoop
@testable import Platform

@Suite("SignalSource")
struct SignalSourceTests {
  @Test("A pending signal is handled before work for the next turn")
  func beforeNextTurn() async {
    await #expect(processExitsWith: .exitCode(2)) {
      let loop = try Loop()
      let source = try SignalSource(loop: loop, signal: SIGUSR2) { exit(2) }
      ProcessStart.unblockAllSignals()
      // Sent to this thread: delivered before the call returns.
      pthread_kill(pthread_self(), SIGUSR2)
      loop.performNextTurn { exit(1) }
      loop.run()
      source.close()
    }
  }

  @Test("Each signal is reported on the loop until the source is closed")
  func told() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let count: Int = try playHere { scene in
        var count = 0
        let source = scene.keep(
          try SignalSource(loop: scene.loop, signal: SIGUSR1) {
            count += 1
            if count == 3 { scene.finish(count) } else { kill(getpid(), SIGUSR1) }
          })
        _ = source
        kill(getpid(), SIGUSR1)
      }
      exit(count == 3 ? 7 : 1)
    }
  }

  @Test("A closed source restores the signal's default action")
  func closed() async {
    await #expect(processExitsWith: .signal(SIGUSR1)) {
      let loop = try Loop()
      let source = try SignalSource(loop: loop, signal: SIGUSR1) {}
      source.close()
      source.close()
      // Sent to this thread, which may have an inherited mask: delivered before the call returns.
      ProcessStart.unblockAllSignals()
      pthread_kill(pthread_self(), SIGUSR1)
    }
  }

  @Test("SIGKILL can't be watched")
  func impossible() async throws {
    let error = try await play(SystemError?.self) { scene in
      do throws(SystemError) {
        _ = try SignalSource(loop: scene.loop, signal: SIGKILL) {}
        scene.finish(nil)
      } catch { scene.finish(error) }
    }
    #expect(error == SystemError(call: "uv_signal_start", errno: EINVAL, subject: "signal 9"))
  }
}
