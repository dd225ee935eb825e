internal import Glibc
internal import Synchronization

/// Lets tests of a debug build make system calls of this module fail, for errors that can't be provoked from outside.
///
/// A call is written as `Seam.refuses() || call() fails`. In a release build it never refuses, and is optimized away.
package enum Seam {
  #if DEBUG
    private struct Plan {
      var asked = 0
      /// Whether the call with this number is refused, and with which `errno`.
      var refusal: (Int) -> Int32?
    }

    private static let plans = Monitor<[UInt: Plan]>([:])
    private static let planned = Atomic<Int>(0)

    /// Whether the next call of this thread is refused; then `errno` is set.
    package static func refuses() -> Bool {
      guard planned.load(ordering: .relaxed) > 0 else { return false }
      let refusal = plans.withLock { plans -> Int32? in
        guard var plan = plans[thread] else { return nil }
        plan.asked += 1
        defer { plans[thread] = plan }
        return plan.refusal(plan.asked)
      }
      guard let refusal else { return false }
      Glibc.errno = refusal
      return true
    }

    /// Refuses some calls of this thread during `body`, by their numbers from 1 on, and counts the calls.
    package static func refusing(_ numbers: Set<Int>, with error: Int32, _ body: () throws -> Void) rethrows -> Int {
      begin { numbers.contains($0) ? error : nil }
      defer { end() }
      try body()
      return plans.withLock { $0[thread]?.asked ?? 0 }
    }

    /// Refuses calls of this thread at random from now on, according to the environment: `INITD_REFUSE=SEED:PROBABILITY`.
    package static func refuseAtRandom() {
      let words = getenv("INITD_REFUSE").map { String(cString: $0).split(separator: ":") } ?? []
      guard words.count == 2, let seed = UInt64(words[0]), let probability = Double(words[1]) else { return }
      var state = seed
      begin { _ in
        let number = next(&state)
        guard Double(number >> 11) < probability * 0x1p53 else { return nil }
        return [EMFILE, ENFILE, ENOMEM, EIO][Int(number % 4)]
      }
    }

    private static func begin(_ refusal: @escaping (Int) -> Int32?) {
      nonisolated(unsafe) let refusal = refusal
      plans.withLock { $0[thread] = Plan(refusal: refusal) }
      planned.add(1, ordering: .relaxed)
    }

    private static func end() {
      planned.subtract(1, ordering: .relaxed)
      plans.withLock { _ = $0.removeValue(forKey: thread) }
    }

    /// SplitMix64.
    private static func next(_ state: inout UInt64) -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }

    private static var thread: UInt { UInt(pthread_self()) }
  #else
    /// Nothing is refused.
    @inlinable package static func refuses() -> Bool { false }
    /// Does nothing.
    @inlinable package static func refuseAtRandom() {}
  #endif
}
