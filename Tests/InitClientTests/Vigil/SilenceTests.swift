import Testing

@testable import InitClient

struct SilenceTests {
  /// A silence with a limit of 20 s; the last message is heard at second 0.
  private var silence = Silence(limit: .seconds(20), at: .zero)

  private mutating func step(heard: Int = 0, at second: Int) -> Silence.Step {
    silence.step(heard: .seconds(heard), at: .seconds(second))
  }

  @Test("After half of the limit the supervisor is pinged, and at the limit it doesn't answer")
  mutating func giveUp() {
    #expect(step(at: 0) == .wait(until: .seconds(10)))
    #expect(step(at: 9) == .wait(until: .seconds(10)))
    #expect(step(at: 10) == .ping(until: .seconds(20)))
    #expect(step(at: 19) == .wait(until: .seconds(20)))
    #expect(step(at: 20) == .giveUp)
  }

  @Test("Any message ends a silence: the next ping is sent after another pause")
  mutating func heard() {
    _ = step(at: 10)
    #expect(step(heard: 11, at: 20) == .wait(until: .seconds(21)))
    #expect(step(heard: 11, at: 21) == .ping(until: .seconds(31)))
    #expect(step(heard: 11, at: 31) == .giveUp)
  }

  @Test("A supervisor that was last heard long before has the whole limit")
  mutating func start() {
    silence = Silence(limit: .seconds(20), at: .seconds(100))
    #expect(step(heard: 1, at: 100) == .wait(until: .seconds(110)))
  }

  @Test("After a stop of this process, the supervisor has the time again, once")
  mutating func stopped() {
    #expect(step(at: 10) == .ping(until: .seconds(20)))
    #expect(step(at: 22) == .wait(until: .seconds(32)))
    #expect(step(at: 32) == .giveUp)
  }

  @Test("A supervisor may be pinged earlier, but has the whole limit to answer")
  mutating func pause() {
    silence = Silence(limit: .seconds(20), pause: .seconds(2), at: .zero)
    #expect(step(at: 0) == .wait(until: .seconds(2)))
    #expect(step(at: 2) == .ping(until: .seconds(20)))
    #expect(Silence(limit: .seconds(2), pause: .seconds(5), at: .zero).pause == .seconds(1))
    silence.shorten(pause: .seconds(1))
    #expect(silence.pause == .seconds(1))
    silence.shorten(pause: .seconds(9))
    #expect(silence.pause == .seconds(1))
  }

  @Test("The length of a silence is reported once a ping has been open for as long as the pause")
  mutating func length() {
    silence = Silence(limit: .seconds(20), pause: .seconds(2), at: .zero)
    #expect(silence.length(heard: .seconds(1), at: .seconds(5)) == nil)
    #expect(step(heard: 1, at: 3) == .ping(until: .seconds(21)))
    #expect(silence.length(heard: .seconds(1), at: .milliseconds(4999)) == nil)
    #expect(silence.length(heard: .seconds(1), at: .seconds(5)) == .seconds(4))
    #expect(silence.length(heard: .seconds(6), at: .seconds(7)) == nil)
  }
}
