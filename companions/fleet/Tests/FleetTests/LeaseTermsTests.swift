import Fleet
import Testing

@Suite("How long a lease must be")
struct LeaseTermsTests {
  @Test(
    "A lease must be longer than cancelGrace by its drift and a second",
    arguments: [
      (2, 900, true), (2, 901, false), (4, 2800, true), (4, 2801, false), (4, 3500, false), (60, 56_000, true),
    ])
  func fits(seconds: Int, cancelGrace: Int, fits: Bool) {
    #expect(LeaseTerms(timeToLive: .seconds(seconds)).fits(cancelGrace: .milliseconds(cancelGrace)) == fits)
  }

  @Test("The shortest lease that is proposed fits, and one that is shorter by a second doesn't")
  func shortest() {
    for milliseconds in stride(from: 0, through: 120_000, by: 250) {
      let grace = Duration.milliseconds(milliseconds)
      let shortest = LeaseTerms.shortest(cancelGrace: grace)
      #expect(LeaseTerms(timeToLive: shortest).fits(cancelGrace: grace))
      #expect(!LeaseTerms(timeToLive: shortest - .seconds(1)).fits(cancelGrace: grace))
    }
  }

  @Test("If a lease fits, a renewal that takes 300 ms comes before the programs begin to stop")
  func renewed() throws {
    for milliseconds in stride(from: 0, through: 60_000, by: 250) {
      let grace = Duration.milliseconds(milliseconds)
      var rule = LeaseRenewal(timeToLive: LeaseTerms.shortest(cancelGrace: grace), members: 1, seed: 1)
      _ = rule.handle(.allowed(cancelGrace: grace), at: .zero)
      _ = rule.handle(.began, at: .zero)
      _ = rule.handle(.granted(lease: 1, sent: .zero, member: 0), at: .zero)
      let lease = try #require(rule.lease)
      let renewal = try #require(rule.due)
      #expect(renewal + .milliseconds(300) <= lease.end - grace - LeaseTerms.margin)
    }
  }
}
