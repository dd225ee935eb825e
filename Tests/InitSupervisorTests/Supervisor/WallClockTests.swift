import Glibc
import Testing

@testable import InitSupervisor

@Suite("WallClock")
struct WallClockTests {
  @Test("The instant it was made at is the system's present time; later ones are as much later, to the microsecond")
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
