import Testing

@testable import InitCore

@Suite("Place set")
struct HierarchicalBitSetTests {
  @Test("After random insertions and removals it gives the smallest number of a sorted array", arguments: 0..<20)
  func againstSortedArray(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let limit = [1, 63, 64, 65, 4_096, 4_097, 300_000][Int(seed % 7)]
    var set = HierarchicalBitSet(limit)
    var model = Set<Int>()
    for _ in 0..<500 {
      if generator.happens(60) {
        let number = Int.random(in: 0..<limit, using: &generator)
        set.insert(number)
        model.insert(number)
      } else {
        let first = model.min()
        #expect(set.popFirst() == first)
        if let first { model.remove(first) }
      }
      #expect(set.isEmpty == model.isEmpty)
    }
    var drained: [Int] = []
    while let number = set.popFirst() { drained.append(number) }
    #expect(drained == model.sorted())
  }

  @Test("Sets with the same numbers are equal, regardless of the order of insertion")
  func equality() {
    var left = HierarchicalBitSet(1000)
    var right = HierarchicalBitSet(1000)
    for number in [5, 70, 999] { left.insert(number) }
    for number in [999, 3, 5, 70] { right.insert(number) }
    #expect(left != right)
    #expect(right.popFirst() == 3)
    #expect(left == right)
    #expect(HierarchicalBitSet(0).isEmpty)
  }
}
