import FoundationEssentials
import Testing

@testable import InitCore

/// Random events in random worlds.
///
/// A walk that breaks a law reports its seed; `INITCORE_SEED` repeats only that walk, and `INITCORE_WALKS` sets the number of walks.
@Suite("Random walks over random graphs")
struct RandomWalksTests {
  static let walks = ProcessInfo.processInfo.environment["INITCORE_WALKS"].flatMap(Int.init) ?? 10_000
  static let seed = ProcessInfo.processInfo.environment["INITCORE_SEED"].flatMap(UInt64.init)
  static let shares = 8

  @Test("No law is broken in seeded walks, and every pass ends", arguments: 0..<shares)
  func walks(share: Int) throws {
    if let seed = Self.seed {
      if share == 0 { try walk(seed) }
      return
    }
    for seed in stride(from: share, to: Self.walks, by: Self.shares) { try walk(UInt64(seed)) }
  }

  private func walk(_ seed: UInt64) throws {
    var walker = Walker(seed: seed)
    do {
      for _ in 0..<walker.length { try walker.step() }
      try walker.drain()
    } catch {
      let path = walker.path.suffix(Self.seed == nil ? 12 : 1000).map(\.brief).joined(separator: "\n  ")
      throw Broken(description: "seed \(seed): \(error)\n\(walker.summary)\n  \(path)")
    }
  }
}
