import Testing

@testable import InitText

struct NameColorTests {
  @Test("A name has one colour; names share eight, without red and yellow")
  func codes() {
    #expect(NameColor.code(of: "migrate") == NameColor.code(of: "migrate"))
    let codes = Set((0..<200).map { NameColor.code(of: "initializer-\($0)") })
    #expect(codes == [36, 32, 35, 34, 96, 92, 95, 94])
  }
}
