import Testing

@testable import InitClient

@Suite("Numbered")
struct NumberedTests {
  @Test("It has the values that a dictionary with the same additions and removals has")
  func likeADictionary() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var (numbered, dictionary) = (Numbered<Int>(), [Int64: Int]())
      for step in 0..<100 {
        let number = Int64.random(in: 0..<20, using: &generator)
        if Bool.random(using: &generator) {
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
