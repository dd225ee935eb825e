import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("Timer")
struct TimerTests {
  @Test("A timer never fires early by the loop's clock, even with fractions of a millisecond")
  func neverEarly() async throws {
    let early = try await play([Duration].self) { scene in
      var early: [Duration] = []
      var rest = [1, 100, 999, 1000, 1001, 1500, 2500, 3999].map { Duration.microseconds($0) }
      let timer = scene.keep(Timer(loop: scene.loop))
      let next = Recursion()
      next.body = { [unowned next] in
        guard let delay = rest.popLast() else { return scene.finish(early) }
        let due = scene.loop.now + delay
        timer.start(after: delay) {
          if scene.loop.now < due { early.append(due - scene.loop.now) }
          next.body()
        }
      }
      scene.keep(next)
      next.body()
    }
    #expect(early == [])
  }

  @Test("Timers fire in the order of their deadlines")
  func order() async throws {
    let order = try await play([Int].self) { scene in
      var order: [Int] = []
      let start = scene.loop.now
      for delay in [30, 10, 20] {
        scene.keep(Timer(loop: scene.loop)).start(at: start + .milliseconds(delay)) {
          order.append(delay)
          if order.count == 3 { scene.finish(order) }
        }
      }
    }
    #expect(order == [10, 20, 30])
  }

  @Test("A second start replaces the first action; a stopped, closed or dropped timer doesn't fire")
  func forgets() async throws {
    let fired = try await play([String].self) { scene in
      var fired: [String] = []
      let again = scene.keep(Timer(loop: scene.loop))
      again.start(after: .milliseconds(1)) { fired.append("first") }
      again.start(after: .milliseconds(2)) { fired.append("second") }
      let stopped = scene.keep(Timer(loop: scene.loop))
      stopped.start(after: .milliseconds(1)) { fired.append("stopped") }
      stopped.stop()
      let closed = scene.keep(Timer(loop: scene.loop))
      closed.start(after: .milliseconds(1)) { fired.append("closed") }
      closed.close()
      closed.start(after: .milliseconds(1)) { fired.append("started after close") }
      Timer(loop: scene.loop).start(after: .milliseconds(1)) { fired.append("dropped") }
      scene.keep(Timer(loop: scene.loop)).start(after: .milliseconds(20)) {
        fired.append(again.isActive ? "still active" : "inactive")
        scene.finish(fired)
      }
    }
    #expect(fired == ["second", "inactive"])
  }

  @Test("A timer that restarts itself without delay doesn't starve the loop")
  func selfRestart() async throws {
    let rounds = try await play(Int.self) { scene in
      let (read, write) = try Descriptor.pipe()
      let timer = scene.keep(Timer(loop: scene.loop))
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: read))
      var rounds = 0
      let next = scene.keep(Recursion())
      next.body = { [unowned next] in
        rounds += 1
        guard rounds < 1_000_000 else { return scene.finish(-1) }
        if rounds == 3 { write.send("x", pipe: true) }
        timer.start(at: .zero) { next.body() }
      }
      next.body()
      try poll.start(.readable) { _ in
        timer.close()
        scene.finish(rounds)
      }
    }
    #expect(rounds >= 3)
  }

  @Test("A timer may be dropped by its own callback")
  func droppedInside() async throws {
    let isGone = try await play(Bool.self) { scene in
      var timer: Timer? = Timer(loop: scene.loop)
      timer?.start(after: .zero) {
        timer = nil
        scene.finish(timer == nil)
      }
    }
    #expect(isGone)
  }

  @Test(
    "Durations are rounded up to whole milliseconds, at least zero",
    arguments: [
      (Duration.zero, UInt64(0)), (.nanoseconds(1), 1), (.microseconds(999), 1), (.milliseconds(1), 1),
      (.microseconds(1001), 2), (.seconds(2), 2000), (.milliseconds(-5), 0), (.seconds(-5), 0),
      (.seconds(Int64.max), (1 << 52) * 1000),
    ])
  func rounding(duration: Duration, milliseconds: UInt64) {
    #expect(duration.millisecondsRoundedUp == milliseconds)
  }
}
