import InitCore
import Testing

@Suite("S30: freshness")
struct FreshnessTests {
  @Test("S30: it is fresh with the same fingerprint, within its limit, and unless it is stale")
  func verdict() {
    let completed = Fingerprint("x", at: .seconds(100))
    func verdict(
      _ digest: String?, at seconds: Int = 100, completed: Fingerprint? = completed, isStale: Bool = false,
      limit: Duration? = .seconds(10)
    ) -> FreshnessVerdict {
      Freshness(limit: limit).verdict(
        digest.map { Fingerprint($0, at: .seconds(seconds)) }, completed: completed, isStale: isStale)
    }
    #expect(verdict("x") == .fresh)
    #expect(verdict("x", at: 109) == .fresh)
    #expect(verdict("x", at: 110) == .expired)
    #expect(verdict("x", at: 110, limit: nil) == .fresh)
    // Another clock.
    #expect(verdict("x", at: 99) == .expired)
    #expect(verdict("y") == .changed)
    #expect(verdict("x", isStale: true) == .stale)
    #expect(verdict(nil) == .unreadable)
    #expect(verdict("x", completed: nil) == .notCompleted)
  }

  @Test("S37: that a dependency ran again doesn't matter to what is done once, only another output")
  func ever() {
    let completed = Fingerprint("x", at: .seconds(100))
    func verdict(_ digest: String, isStale: Bool, limit: Duration? = nil) -> FreshnessVerdict {
      Freshness(limit: limit, isEver: true).verdict(
        Fingerprint(digest, at: .seconds(200)), completed: completed, isStale: isStale)
    }
    #expect(verdict("x", isStale: true) == .fresh)
    #expect(verdict("y", isStale: true) == .changed)
    #expect(verdict("x", isStale: true, limit: .seconds(50)) == .expired)
  }
}
