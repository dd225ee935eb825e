import Testing

@testable import InitText

@Suite("NameList")
struct NameListTests {
  @Test("Only the first of many names are shown")
  func bounded() {
    let names = (0..<12).map { "n\($0)" }
    #expect(NameList.shown(names) == "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more")
    #expect(NameList.shown(Array(names.prefix(10))).hasSuffix("n9"))
  }
}
