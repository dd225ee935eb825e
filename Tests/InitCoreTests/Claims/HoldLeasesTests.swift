import InitCore
import Testing

@Suite("Holds with a lease")
struct HoldLeasesTests {
  private let none = HoldLeases(cancelGrace: .seconds(5))

  @Test("A hold is due early enough that everything has stopped at the end of its lease")
  func due() {
    var leases = none
    leases.add(1, lease: .seconds(10), sent: .seconds(100))
    #expect(leases.least == .milliseconds(5200))
    #expect(leases.nextDeadline == .milliseconds(104_800))
    let due = [leases.due(at: .milliseconds(104_799)), leases.due(at: .milliseconds(104_800))]
    #expect(due == [[], [1]])
    #expect(leases.nextDeadline == nil && !leases.contains(1))
  }

  @Test("A renewal counts from its own moment, and only while the lease lasts")
  func renewal() {
    var leases = none
    leases.add(1, lease: .seconds(10), sent: .seconds(0))
    leases.renew(1, lease: .seconds(10), sent: .seconds(4), at: .seconds(4))
    let due = [leases.due(at: .seconds(8)), leases.due(at: .milliseconds(8800))]
    #expect(due == [[], [1]])
    leases.renew(1, lease: .seconds(10), sent: .seconds(9), at: .seconds(9))
    #expect(leases.nextDeadline == nil)
  }

  @Test(
    "A renewal that is read when the hold is due, e.g. because the supervisor was stopped, counts until the lease's end",
    arguments: [(4800, false), (9999, false), (10_000, true), (20_000, true)])
  func late(milliseconds: Int, isTooLate: Bool) {
    var leases = none
    leases.add(1, lease: .seconds(10), sent: .seconds(0))
    leases.renew(1, lease: .seconds(10), sent: .milliseconds(milliseconds), at: .milliseconds(milliseconds))
    let due = leases.due(at: .milliseconds(milliseconds))
    #expect(due == (isTooLate ? [1] : []))
  }

  @Test("A renewal that leaves too little time makes the hold due at once")
  func tooShort() {
    var leases = none
    leases.add(1, lease: .seconds(10), sent: .seconds(0))
    leases.renew(1, lease: .seconds(1), sent: .seconds(1), at: .seconds(1))
    let due = leases.due(at: .seconds(1))
    #expect(due == [1])
  }

  @Test("Another cancelGrace makes the existing leases due as much earlier or later")
  func changedGrace() {
    var leases = none
    leases.add(1, lease: .seconds(20), sent: .seconds(0))
    leases.set(cancelGrace: .seconds(8))
    #expect(leases.least == .milliseconds(8200) && leases.nextDeadline == .milliseconds(11_800))
    leases.set(cancelGrace: .seconds(1))
    #expect(leases.nextDeadline == .milliseconds(18_800))
  }

  @Test("Each hold has its own lease, and one that has ended is forgotten")
  func several() {
    var leases = none
    for hold in 1...3 { leases.add(HoldID(hold), lease: .seconds(10 * hold), sent: .seconds(0)) }
    let isRemoved = [leases.remove(2), leases.remove(2)]
    #expect(isRemoved == [true, false])
    let due = leases.due(at: .seconds(60))
    #expect(due == [1, 3])
  }
}
