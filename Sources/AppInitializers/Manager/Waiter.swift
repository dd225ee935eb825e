/// A caller that waits for a condition of a manager.
struct Waiter {
  /// Checks the condition, and answers if it holds.
  let look: () -> Bool
  /// Ends the wait without a result.
  let cancel: () -> Void
}

/// The callers that wait, in the order in which they came.
struct Waiters {
  private var waiters: [Int: Waiter] = [:]
  private var last = 0

  /// The number of waiters.
  var count: Int { waiters.count }

  /// Returns the number of the next waiter.
  mutating func nextNumber() -> Int {
    last += 1
    return last
  }

  subscript(number: Int) -> Waiter? {
    get { waiters[number] }
    set { waiters[number] = newValue }
  }

  /// All waiters, the first one first.
  var all: [(number: Int, waiter: Waiter)] { waiters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

  /// Removes and returns all waiters, the first one first.
  mutating func removeAll() -> [Waiter] {
    defer { waiters = [:] }
    return all.map(\.waiter)
  }
}
