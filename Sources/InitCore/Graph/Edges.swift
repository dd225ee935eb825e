/// The edges of a plan: a list of items for each item, all in one array.
public struct Edges: Hashable, Sendable {
  private var ends: [Int] = []
  private var numbers: [Int] = []

  /// The items in the list of an item.
  public subscript(place: Int) -> ArraySlice<Int> { numbers[(place == 0 ? 0 : ends[place - 1])..<ends[place]] }

  /// Adds an item to the list that is being made.
  mutating func add(_ place: Int) { numbers.append(place) }

  /// Ends the list of the next item.
  mutating func endList() { ends.append(numbers.count) }

  mutating func reserveCapacity(_ count: Int) { ends.reserveCapacity(count) }

  /// The same edges in the other direction; each list is in ascending order.
  func reversed() -> Edges {
    var next = [Int](repeating: 0, count: ends.count)
    for number in numbers { next[number] += 1 }
    var start = 0
    for place in next.indices { (next[place], start) = (start, start + next[place]) }
    var reversed = Edges()
    reversed.numbers = [Int](repeating: 0, count: numbers.count)
    for place in ends.indices {
      for number in self[place] {
        reversed.numbers[next[number]] = place
        next[number] += 1
      }
    }
    reversed.ends = next
    return reversed
  }
}
