import InitManifest
import Testing

@Suite struct PositionTests {
  @Test("A position is before another by its line, then by its column")
  func order() {
    #expect(Position(line: 1, column: 9) < Position(line: 2, column: 1))
    #expect(Position(line: 2, column: 1) < Position(line: 2, column: 2))
    #expect(!(Position(line: 2, column: 2) < Position(line: 2, column: 2)))
  }
}
