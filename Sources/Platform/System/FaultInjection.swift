internal import Glibc
internal import InitLocks
internal import Synchronization

/// Lets tests of a debug build make system calls of this module fail, for errors that can't be provoked from outside.
///
/// A call is written as `FaultInjection.refuses() || call() fails`. In a release build it never refuses, and is optimized away.
package enum FaultInjection {
  #if DEBUG
    private enum Plan {
      /// The calls with these numbers are refused with this `errno`, and all are counted.
      case numbers(Set<Int>, error: Int32, asked: Int)
      /// Calls are refused at random.
      case random(probability: Double, state: UInt64)

      /// Returns the `errno` with which the next call is refused; nil if it isn't refused.
      mutating func refusal() -> Int32? {
        switch self {
        case .numbers(let numbers, let error, let asked):
          self = .numbers(numbers, error: error, asked: asked + 1)
          return numbers.contains(asked + 1) ? error : nil
        case .random(let probability, var state):
          let number = next(&state)
          self = .random(probability: probability, state: state)
          guard Double(number >> 11) < probability * 0x1p53 else { return nil }
          return [EMFILE, ENFILE, ENOMEM, EIO][Int(number % 4)]
        }
      }
    }

    private static let plans = Locked<[UInt: Plan]>([:])
    private static let planned = Atomic<Int>(0)

    /// Returns whether the next call of this thread is refused; then `errno` is set.
    package static func refuses() -> Bool {
      guard planned.load(ordering: .relaxed) > 0 else { return false }
      guard let refusal = plans.withLock({ $0[thread]?.refusal() }) else { return false }
      Glibc.errno = refusal
      return true
    }

    /// Refuses some calls of this thread during `body`, by their numbers from 1 on, and counts the calls.
    package static func refusing(_ numbers: Set<Int>, with error: Int32, _ body: () throws -> Void) rethrows -> Int {
      begin(.numbers(numbers, error: error, asked: 0))
      defer { end() }
      try body()
      guard case .numbers(_, _, let asked)? = plans.withLock({ $0[thread] }) else { return 0 }
      return asked
    }

    /// Refuses calls of this thread at random from now on, according to the environment: `INITD_REFUSE=SEED:PROBABILITY`.
    package static func refuseAtRandom() {
      let words = getenv("INITD_REFUSE").map { String(cString: $0).split(separator: ":") } ?? []
      guard words.count == 2, let seed = UInt64(words[0]), let probability = Double(words[1]) else { return }
      begin(.random(probability: probability, state: seed))
    }

    private static func begin(_ plan: Plan) {
      plans.withLock { $0[thread] = plan }
      planned.add(1, ordering: .relaxed)
    }

    private static func end() {
      planned.subtract(1, ordering: .relaxed)
      plans.withLock { _ = $0.removeValue(forKey: thread) }
    }

    /// Returns the next number of SplitMix64.
    private static func next(_ state: inout UInt64) -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }

    private static var thread: UInt { UInt(pthread_self()) }
  #else
    /// Refuses nothing.
    @inlinable package static func refuses() -> Bool { false }
    /// Does nothing.
    @inlinable package static func refuseAtRandom() {}
  #endif
}
