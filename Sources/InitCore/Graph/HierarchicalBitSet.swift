/// A set of small numbers, from which the smallest can be removed quickly.
///
/// The lowest level has a bit for each number, and each higher level a bit for each nonzero machine word of the level below. With 64 bits
/// per machine word, a million numbers need four levels. Two sets of equal numbers are equal values, regardless of the order of insertion.
struct HierarchicalBitSet: Hashable, Sendable {
  /// All levels, the lowest first.
  private var words: [UInt64] = []
  /// The index in `words` at which each level begins.
  private var levels: [Int] = []

  /// Creates an empty set for numbers less than `limit`.
  init(_ limit: Int) {
    var start = 0
    var size = limit
    while size > 0, levels.isEmpty || size > 1 {
      size = (size + 63) / 64
      levels.append(start)
      start += size
    }
    words = [UInt64](repeating: 0, count: start)
  }

  /// Whether the set is empty.
  var isEmpty: Bool { words.last.map { $0 == 0 } ?? true }

  /// Adds a number.
  mutating func insert(_ number: Int) {
    var position = number
    for level in levels {
      let word = words[level + position >> 6]
      words[level + position >> 6] = word | 1 << UInt64(position & 63)
      guard word == 0 else { return }
      position >>= 6
    }
  }

  /// Removes and returns the smallest number.
  mutating func popFirst() -> Int? {
    guard !isEmpty else { return nil }
    var first = 0
    for level in levels.reversed() { first = first << 6 + words[level + first].trailingZeroBitCount }
    var position = first
    for level in levels {
      words[level + position >> 6] &= ~(1 << UInt64(position & 63))
      guard words[level + position >> 6] == 0 else { break }
      position >>= 6
    }
    return first
  }
}
