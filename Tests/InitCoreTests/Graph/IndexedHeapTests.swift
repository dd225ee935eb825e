import TestSupport
import Testing

@testable import InitCore

@Suite("Indexed heap")
struct IndexedHeapTests {
  @Test("After random insertions, moves and removals it equals a sorted array", arguments: 0..<20)
  func againstSortedArray(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var heap = IndexedHeap<Int, Int>()
    var model: [Int: Int] = [:]
    for _ in 0..<500 {
      let key = Int.random(in: 0..<60, using: &generator)
      let value = generator.happens(60) ? Int.random(in: 0..<40, using: &generator) : nil
      heap[key] = value
      model[key] = value
      let first = model.min { ($0.value, $0.key) < ($1.value, $1.key) }
      #expect(heap.first?.key == first?.key && heap.first?.value == first?.value)
      #expect(heap.count == model.count && heap[key] == model[key])
    }
    var drained: [Int] = []
    while let (_, key) = heap.first {
      drained.append(key)
      heap[key] = nil
    }
    #expect(drained == model.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key))
    #expect(heap.count == 0)
  }

  @Test("Heaps with the same contents are equal and have the same hash, regardless of the order of insertion")
  func equality() {
    var left = IndexedHeap<Int, Int>()
    var right = IndexedHeap<Int, Int>()
    for key in 0..<20 { left[key] = key % 5 }
    for key in (0..<20).reversed() { right[key] = key }
    #expect(left != right)
    for key in 0..<20 { right[key] = key % 5 }
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    right[3] = nil
    #expect(left != right)
  }
}
