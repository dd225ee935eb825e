import Glibc
import Platform
import Testing

@Suite("WallClock")
struct WallClockTests {
  @Test("The instant of its creation is the system's current time; later instants are exact to the microsecond")
  func seconds() {
    let before = time(nil)
    let clock = WallClock(now: .seconds(1000))
    let after = time(nil)
    let made = clock.seconds(at: .seconds(1000))
    #expect(made >= Double(before) && made < Double(after + 1))
    #expect(abs(clock.seconds(at: .milliseconds(1_001_500)) - made - 1.5) < 2e-6)
    #expect(abs(clock.seconds(at: .seconds(999)) - made + 1) < 2e-6)
  }
}
