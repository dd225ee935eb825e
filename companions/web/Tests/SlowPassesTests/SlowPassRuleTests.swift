import Testing

@testable import SlowPasses

/// Numbers that only depend on the seed.
struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Returns the next number, at least 0 and less than 1 (splitmix64).
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((bits ^ (bits >> 31)) >> 11) / Double(1 << 53)
  }

  /// Returns a number of an approximately normal distribution around 1: the sum of twelve uniform numbers.
  mutating func around1(deviation: Double) -> Double {
    1 + deviation * ((0..<12).reduce(0) { sum, _ in sum + next() } - 6)
  }
}

@Suite("Whether a pass was slower than usual")
struct SlowPassRuleTests {
  private let rule = SlowPassRule(fraction: 0.2)

  private func measures(_ durations: [Double]) -> [PassMeasure] { durations.map { PassMeasure(duration: $0) } }

  private func verdict(_ duration: Double, after earlier: [Double]) throws -> SlowPassVerdict {
    try #require(rule.verdict(on: PassMeasure(duration: duration), comparedWith: measures(earlier)))
  }

  @Test("From fewer than eight passes, nothing is concluded")
  func tooFew() {
    #expect(rule.verdict(on: PassMeasure(duration: 9), comparedWith: measures(Array(repeating: 1, count: 7))) == nil)
    #expect(rule.verdict(on: PassMeasure(duration: 9), comparedWith: measures(Array(repeating: 1, count: 8))) != nil)
  }

  @Test("If all took equally long, the fraction decides")
  func fraction() throws {
    let earlier = Array(repeating: 1.0, count: 8)
    let fine = try verdict(1.2, after: earlier)
    #expect(!fine.isSlower)
    #expect(fine.bound == .fraction)
    #expect(fine.limit == 1.2)
    #expect(try verdict(1.21, after: earlier).isSlower)
    #expect(try !verdict(0.1, after: earlier).isSlower)
  }

  @Test("A short pass must be at least 50 ms slower")
  func floor() throws {
    let earlier = Array(repeating: 0.01, count: 8)
    let fine = try verdict(0.055, after: earlier)
    #expect(!fine.isSlower)
    #expect(fine.bound == .floor)
    #expect(try verdict(0.065, after: earlier).isSlower)
  }

  @Test("If the durations differ much anyway, the spread decides")
  func spread() throws {
    let earlier = [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8]
    let fine = try verdict(2.7, after: earlier)
    #expect((fine.lowerQuartile, fine.median, fine.upperQuartile) == (1.2, 1.4, 1.6))
    #expect(fine.bound == .spread)
    #expect(!fine.isSlower)
    #expect(try verdict(2.9, after: earlier).isSlower)
  }

  @Test("One outlier among the earlier passes hides nothing")
  func outlier() throws {
    let earlier: [Double] = [1, 1, 1, 1, 1, 1, 1, 60]
    #expect(try verdict(1.3, after: earlier).isSlower)
  }

  @Test("It says by what: on the critical path first, and only what matters")
  func increases() throws {
    typealias Part = PassMeasure.Part
    let usual = PassMeasure(
      duration: 1,
      parts: [
        Part(initializer: "migrate", running: 0.6, isOnCriticalPath: true), Part(initializer: "cache", running: 0.2),
        Part(initializer: "flags", running: 0.2, isOnCriticalPath: true), Part(initializer: "queue", running: 0.1),
      ])
    let pass = PassMeasure(
      duration: 2,
      parts: [
        Part(initializer: "migrate", running: 0.9, queued: 0.2, isOnCriticalPath: true),
        Part(initializer: "cache", running: 1.2),
        Part(initializer: "flags", running: 0.22, backoff: 0.5, isOnCriticalPath: true),
        Part(initializer: "queue", running: 0.1, queued: 0.8),
        Part(initializer: "new", running: 0.15, isOnCriticalPath: true),
      ])
    let verdict = try #require(rule.verdict(on: pass, comparedWith: Array(repeating: usual, count: 8)))
    #expect(verdict.isSlower)
    #expect(
      verdict.increases.map { "\($0.initializer) \($0.kind)" } == [
        "flags backoff", "migrate running", "migrate queued", "new running", "cache running",
      ])
    #expect(verdict.increases.first?.median == 0)
    #expect(verdict.increases.map(\.isOnCriticalPath) == [true, true, true, true, false])
  }

  /// Returns the share of passes that are called slower if they take `factor` times as long as earlier passes, with this deviation.
  private func share(count: Int, deviation: Double, factor: Double) throws -> Double {
    var noise = Noise(seed: 2026)
    let rounds = 4_000
    var slower = 0
    for _ in 0..<rounds {
      let earlier = (0..<count).map { _ in noise.around1(deviation: deviation) }
      if try verdict(factor * noise.around1(deviation: deviation), after: earlier).isSlower { slower += 1 }
    }
    return Double(slower) / Double(rounds)
  }

  @Test("Noise raises no alarm, and a regression does", arguments: [8, 20])
  func noise(count: Int) throws {
    // Durations that differ by 2 %, 5 %, 10 % and 20 % (standard deviation).
    #expect(try share(count: count, deviation: 0.02, factor: 1) == 0)
    #expect(try share(count: count, deviation: 0.05, factor: 1) <= 0.001)
    #expect(try share(count: count, deviation: 0.1, factor: 1) <= 0.01)
    #expect(try share(count: count, deviation: 0.2, factor: 1) <= 0.015)
    #expect(try share(count: count, deviation: 0.02, factor: 1.3) == 1)
    #expect(try share(count: count, deviation: 0.05, factor: 1.5) >= 0.98)
    #expect(try share(count: count, deviation: 0.1, factor: 2) >= 0.97)
  }
}
