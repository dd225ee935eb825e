import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("A timer that counts the time of a suspended machine")
struct BootTimerTests {
  /// A clock that jumps, as after a suspension.
  private final class JumpingClock {
    var jump = Duration.zero
    var now: Duration { BootClock.now + jump }
  }

  @Test("It fires once, and not early")
  func firesOnce() async throws {
    let early = try await play([Duration].self) { scene in
      var rests: [Duration] = []
      let timer = scene.keep(BootTimer(loop: scene.loop, name: "boot"))
      let due = scene.loop.bootTime + .milliseconds(20)
      timer.start(at: due) { rests.append(due - scene.loop.bootTime) }
      scene.keep(Timer(loop: scene.loop)).start(after: .milliseconds(60)) { scene.finish(rests) }
    }
    #expect(early.count == 1 && early.allSatisfy { $0 <= .zero })
  }

  @Test("After the machine has resumed, it fires at once")
  func resumes() async throws {
    let fired = try await play(Bool.self) { scene in
      let clock = JumpingClock()
      let timer = scene.keep(BootTimer(loop: scene.loop, name: "boot") { clock.now })
      timer.start(at: clock.now + .seconds(3600)) { scene.finish(true) }
      clock.jump = .seconds(3600)
      timer.wake()
    }
    #expect(fired)
  }

  @Test("The kernel's timer alone makes it fire")
  func kernelTimer() async throws {
    let fired = try await play(Bool.self) { scene in
      let clock = JumpingClock()
      let timer = scene.keep(BootTimer(loop: scene.loop, name: "boot") { clock.now })
      // By this clock the timer is due in an hour, but the kernel's timer is set by the real clock.
      clock.jump = .zero - .seconds(3600)
      timer.start(at: BootClock.now + .milliseconds(20)) { scene.finish(true) }
      clock.jump = .zero
    }
    #expect(fired)
  }

  @Test("A second start replaces the first; a stopped or closed one doesn't fire")
  func stops() async throws {
    let fired = try await play([String].self) { scene in
      var fired: [String] = []
      let now = scene.loop.bootTime
      let again = scene.keep(BootTimer(loop: scene.loop, name: "again"))
      again.start(at: now + .milliseconds(5)) { fired.append("first") }
      again.start(at: now + .milliseconds(10)) { fired.append("second") }
      let stopped = scene.keep(BootTimer(loop: scene.loop, name: "stopped"))
      stopped.start(at: now + .milliseconds(5)) { fired.append("stopped") }
      stopped.stop()
      let closed = scene.keep(BootTimer(loop: scene.loop, name: "closed"))
      closed.start(at: now + .milliseconds(5)) { fired.append("closed") }
      closed.close()
      scene.keep(Timer(loop: scene.loop)).start(after: .milliseconds(60)) { scene.finish(fired) }
    }
    #expect(fired == ["second"])
  }
}
