/// A priority queue of keys by value, smallest first.
///
/// Changing a key's value and removing a key take logarithmic time.
///
/// Keys of equal value are ordered by key, so the order never depends on history.
package struct IndexedHeap<Key: Hashable & Comparable & Sendable, Value: Hashable & Comparable & Sendable>: Sendable {
  private var heap: [(value: Value, key: Key)] = []
  private var positions: [Key: Int] = [:]

  /// Creates an empty queue.
  package init() {}

  /// The number of keys.
  package var count: Int { heap.count }

  /// The smallest value and its key.
  package var first: (value: Value, key: Key)? { heap.first }

  /// Accesses the value of `key`.
  ///
  /// Setting a key's value inserts, moves or, with `nil`, removes the key.
  package subscript(key: Key) -> Value? {
    get { positions[key].map { heap[$0].value } }
    set {
      switch (positions[key], newValue) {
      case (nil, nil): break
      case (nil, let value?):
        heap.append((value, key))
        positions[key] = heap.count - 1
        rise(from: heap.count - 1)
      case (let position?, let value?):
        heap[position].value = value
        rise(from: position)
        sink(from: position)
      case (let position?, nil):
        let last = heap.count - 1
        if position != last { exchange(position, last) }
        heap.removeLast()
        positions[key] = nil
        if position != last {
          rise(from: position)
          sink(from: position)
        }
      }
    }
  }

  /// All keys and values, smallest first.
  var sorted: [(value: Value, key: Key)] { heap.sorted { $0 < $1 } }

  private func precedes(_ a: Int, _ b: Int) -> Bool { heap[a] < heap[b] }

  private mutating func exchange(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    positions[heap[a].key] = a
    positions[heap[b].key] = b
  }

  private mutating func rise(from start: Int) {
    var position = start
    while position > 0, precedes(position, (position - 1) / 2) {
      exchange(position, (position - 1) / 2)
      position = (position - 1) / 2
    }
  }

  private mutating func sink(from start: Int) {
    var position = start
    while true {
      var smallest = position
      for child in [2 * position + 1, 2 * position + 2] where child < heap.count && precedes(child, smallest) {
        smallest = child
      }
      guard smallest != position else { return }
      exchange(position, smallest)
      position = smallest
    }
  }
}

extension IndexedHeap: Hashable {
  /// Returns whether two queues contain the same pairs, regardless of the order of insertion.
  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.heap.allSatisfy { right[$0.key] == $0.value }
  }

  package func hash(into hasher: inout Hasher) {
    for (value, key) in sorted {
      hasher.combine(value)
      hasher.combine(key)
    }
  }
}
