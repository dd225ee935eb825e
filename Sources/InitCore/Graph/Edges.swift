/// The edges of a plan: a list of items for each item, all in one array.
public struct Edges: Hashable, Sendable {
  private var ends: [Int] = []
  private var targets: [PlanIndex] = []

  /// Returns the items in the list of an item.
  public subscript(index: PlanIndex) -> ArraySlice<PlanIndex> { targets[range(index.rawValue)] }

  private func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// Adds an item to the list that is being made.
  mutating func add(_ target: PlanIndex) { targets.append(target) }

  /// Ends the list of the next item.
  mutating func endList() { ends.append(targets.count) }

  mutating func reserveCapacity(_ count: Int) { ends.reserveCapacity(count) }

  /// Returns the same edges in the other direction; each list is in ascending order.
  func reversed() -> Edges {
    var next = [Int](repeating: 0, count: ends.count)
    for target in targets { next[target.rawValue] += 1 }
    var start = 0
    for index in next.indices {
      let count = next[index]
      next[index] = start
      start += count
    }
    var reversed = Edges()
    reversed.targets = [PlanIndex](repeating: 0, count: targets.count)
    for index in ends.indices {
      for target in targets[range(index)] {
        reversed.targets[next[target.rawValue]] = PlanIndex(index)
        next[target.rawValue] += 1
      }
    }
    reversed.ends = next
    return reversed
  }
}
