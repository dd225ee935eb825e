internal import DequeModule

/// The turns of items that may start, smallest first.
///
/// Most turns come in their order, so they are added at the end.
struct Turns: Hashable, Sendable {
  private var sorted: Deque<Int> = []

  /// The smallest turn; `nil` if there is none.
  var first: Int? { sorted.first }

  /// Whether there is none.
  var isEmpty: Bool { sorted.isEmpty }

  /// Adds a turn, unless it is there.
  mutating func insert(_ turn: Int) {
    guard let last = sorted.last, turn <= last else { return sorted.append(turn) }
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < turn { low = middle + 1 } else { high = middle }
    }
    if sorted[low] != turn { sorted.insert(turn, at: low) }
  }

  /// Removes and returns the smallest turn; `nil` if there is none.
  mutating func popFirst() -> Int? { sorted.popFirst() }
}
