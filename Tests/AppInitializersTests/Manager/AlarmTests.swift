import InitLocks
import Testing

@testable import AppInitializers

/// A clock whose sleepers are woken by the test.
private final class SteppedClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let time = Locked(Duration.seconds(100))
  let sleepers = Gate()
  let deadlines = Journal<Duration>()

  var now: Instant { Instant(offset: time.withLock { $0 }) }
  var minimumResolution: Duration { .nanoseconds(1) }

  func step(_ span: Duration) { time.withLock { $0 += span } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    deadlines.note(deadline.offset)
    try await sleepers.enterOrStop()
  }
}

@Suite("Alarm")
struct AlarmTests {
  @Test("A clock's alarm counts from its creation, and rings when the clock reaches the deadline")
  func rings() async {
    let clock = SteppedClock()
    let alarm = ClockAlarm(clock)
    clock.step(.seconds(3))
    #expect(alarm.now == .seconds(3))
    let rung = Gate()
    alarm.set(.seconds(5)) { Task { await rung.enter() } }
    await clock.sleepers.arrived()
    #expect(clock.deadlines.entries == [.seconds(105)])
    #expect(rung.arrivals == 0)
    clock.sleepers.open()
    await rung.arrived()
    rung.open()
  }

  @Test("Setting the alarm again, or to nil, replaces its deadline; dropping it ends its sleep")
  func forgets() async {
    let clock = SteppedClock()
    var alarm: ClockAlarm<SteppedClock>? = ClockAlarm(clock)
    let ended = Gate()
    let rung = Journal<Int>()
    // Returns a closure: a sleeping task retains it; when it is released, the task has ended.
    func token(_ number: Int) -> @Sendable () -> Void {
      let token = Token { Task { await ended.enter() } }
      return { withExtendedLifetime(token) { rung.note(number) } }
    }
    alarm?.set(.seconds(1), ring: token(1))
    await clock.sleepers.arrived(1)
    alarm?.set(.seconds(2), ring: token(2))
    await ended.arrived(1)
    await clock.sleepers.arrived(2)
    alarm?.set(nil, ring: token(3))
    await ended.arrived(3)
    alarm?.set(.seconds(4), ring: token(4))
    await clock.sleepers.arrived(3)
    alarm = nil
    await ended.arrived(4)
    ended.open()
    #expect(rung.entries.isEmpty)
  }
}

/// A token that reports its deallocation.
private final class Token: Sendable {
  private let onEnd: @Sendable () -> Void
  init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
  deinit { onEnd() }
}
