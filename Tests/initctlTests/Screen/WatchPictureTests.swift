import Testing

@testable import initctl

struct WatchPictureTests {
  private func fit(_ count: Int, rows: Int) -> [String] {
    let terminal = OutputTerminal(size: OutputTerminal.Size(columns: 80, rows: rows), hasColor: false)
    return WatchPicture.fit((1...count).map { "line \($0)" }, terminal)
  }

  @Test("A picture as tall as the window leaves a row for the cursor, and reports the number of hidden lines (rule 3)")
  func tall() {
    #expect(fit(9, rows: 10).count == 9)
    #expect(fit(10, rows: 10) == (1...8).map { "line \($0)" } + ["… 2 more lines"])
    #expect(fit(100, rows: 2) == ["… 100 more lines"])
    #expect(fit(100, rows: 1) == ["… 100 more lines"])
  }
}
