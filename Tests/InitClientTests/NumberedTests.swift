import Testing

@testable import InitClient

@Suite("Numbered")
struct NumberedTests {
  @Test("It has the values that a dictionary with the same additions and removals has")
  func likeADictionary() {
    for round in 0..<200 {
      var (numbered, dictionary) = (Numbered<Int>(), [Int64: Int]())
      for step in 0..<100 {
        // Mixed, but the same in each run of the test.
        let mixed = UInt64(round * 100 + step) &* 0x9E37_79B9_7F4A_7C15
        let number = Int64(mixed >> 40 % 20)
        if mixed >> 32 & 1 == 0 {
          numbered.add(step, number)
          dictionary[number] = step
        } else {
          #expect(numbered.remove(number) == dictionary.removeValue(forKey: number))
        }
      }
      #expect(numbered.removeAll() == dictionary.sorted { $0.key < $1.key }.map(\.value))
      #expect(numbered.removeAll().isEmpty)
    }
  }
}
