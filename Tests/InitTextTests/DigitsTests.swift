import Testing

@testable import InitText

@Suite("Digits")
struct DigitsTests {
  @Test(
    "A number with fewer digits gets leading zeros; no digit is cut off",
    arguments: [(7, 2, 10, "07"), (12, 2, 10, "12"), (123, 2, 10, "123"), (0, 3, 10, "000"), (255, 4, 16, "00ff")])
  func digits(_ number: Int, _ count: Int, _ radix: Int, _ text: String) {
    #expect(number.digits(count, radix: radix) == text)
  }
}
