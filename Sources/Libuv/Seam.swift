internal import Glibc
internal import Synchronization

/// Where this module asks the system for something, a test of a debug build can have it refused: for what nobody can provoke from outside.
///
/// A question is asked as `Seam.refuses() || call() fails`. In a release build the answer is no, and nothing is left of it.
enum Seam {
  #if DEBUG
    private struct Plan {
      var asked = 0
      let refused: Int
      let errno: Int32
    }

    private static let plans = Monitor<[UInt: Plan]>([:])
    private static let planned = Atomic<Int>(0)

    /// Whether the question that this thread is about to ask is refused; `errno` is set then.
    static func refuses() -> Bool {
      guard planned.load(ordering: .relaxed) > 0 else { return false }
      let refusal = plans.withLock { plans -> Int32? in
        guard var plan = plans[thread] else { return nil }
        plan.asked += 1
        plans[thread] = plan
        return plan.asked == plan.refused ? plan.errno : nil
      }
      guard let refusal else { return false }
      Glibc.errno = refusal
      return true
    }

    /// Has one question of this thread refused while `body` runs, the `number`th, and counts how many are asked; 0 refuses none.
    static func refusing(_ number: Int, with error: Int32, _ body: () throws -> Void) rethrows -> Int {
      plans.withLock { $0[thread] = Plan(refused: number, errno: error) }
      planned.add(1, ordering: .relaxed)
      defer {
        planned.subtract(1, ordering: .relaxed)
        plans.withLock { _ = $0.removeValue(forKey: thread) }
      }
      try body()
      return plans.withLock { $0[thread]?.asked ?? 0 }
    }

    private static var thread: UInt { UInt(pthread_self()) }
  #else
    @inline(__always) static func refuses() -> Bool { false }
  #endif

  /// The status of a call of libuv's that may be refused.
  @inline(__always) static func status(_ call: @autoclosure () -> CInt) -> CInt { refuses() ? -Glibc.errno : call() }
}
