internal import DequeModule

/// Values by their numbers, which are mostly added in ascending order, and removed oldest first.
///
/// A dictionary would do too, but for the first one with a type of keys, Swift's runtime searches all conformances of a program, which takes
/// `initctl` 60,000 instructions.
struct Numbered<Value> {
  private var entries: Deque<(number: Int64, value: Value)> = []

  /// Adds a value, or replaces the one with this number.
  mutating func add(_ value: Value, _ number: Int64) {
    let place = place(of: number)
    if place < entries.count, entries[place].number == number {
      entries[place].value = value
    } else {
      entries.insert((number, value), at: place)
    }
  }

  /// Removes the value with this number.
  mutating func remove(_ number: Int64) -> Value? {
    let place = place(of: number)
    guard place < entries.count, entries[place].number == number else { return nil }
    return entries.remove(at: place).value
  }

  /// Removes all values, and returns them in the order of their numbers.
  mutating func removeAll() -> [Value] {
    defer { entries = [] }
    return entries.map(\.value)
  }

  /// The place of the first entry whose number isn't smaller.
  private func place(of number: Int64) -> Int {
    guard let last = entries.last, last.number >= number else { return entries.count }
    var (low, high) = (0, entries.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
