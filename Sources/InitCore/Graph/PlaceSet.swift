/// A set of small numbers, of which the smallest can be removed quickly.
///
/// The lowest level has a bit for each number, and each further level a bit for each word below it that isn't zero. So a million numbers
/// have four levels. Two sets of equal numbers are equal values, regardless of the order of insertion.
struct PlaceSet: Hashable, Sendable {
  private var levels: [[UInt64]] = []

  /// An empty set for numbers less than `limit`.
  init(_ limit: Int) {
    var size = limit
    while size > 0 {
      size = (size + 63) / 64
      levels.append([UInt64](repeating: 0, count: size))
      if size == 1 { return }
    }
  }

  /// Whether it is empty.
  var isEmpty: Bool { levels.last.map { $0[0] == 0 } ?? true }

  /// Adds a number.
  mutating func insert(_ number: Int) {
    var place = number
    for level in levels.indices {
      let wasEmpty = levels[level][place / 64] == 0
      levels[level][place / 64] |= 1 << UInt64(place % 64)
      guard wasEmpty else { return }
      place /= 64
    }
  }

  /// Removes and returns the smallest number.
  mutating func popFirst() -> Int? {
    guard !isEmpty else { return nil }
    let first = levels.indices.reversed().reduce(0) { $0 * 64 + levels[$1][$0].trailingZeroBitCount }
    var place = first
    for level in levels.indices {
      levels[level][place / 64] &= ~(1 << UInt64(place % 64))
      guard levels[level][place / 64] == 0 else { break }
      place /= 64
    }
    return first
  }
}
