import InitModel
import InitWire
import Testing

@testable import initctl

@Suite("DroppedLines")
struct DroppedLinesTests {
  private func lines(_ results: (Int?, String?)...) -> DroppedLines {
    var lines = DroppedLines()
    for (dropped, limit) in results {
      var result = LogsRequest.Result(lines: [])
      result.dropped = dropped
      result.droppedBy = limit
      lines.add(result)
    }
    return lines
  }

  @Test("It says how many lines were dropped, and which limit to raise")
  func sentences() {
    #expect(lines().sentence == nil)
    #expect(lines((nil, nil)).sentence == nil)
    #expect(
      lines((12_345, "logLines")).sentence == "… 12,345 earlier lines were dropped; raise --limit logLines")
    #expect(lines((1, "logBytes")).sentence == "… 1 earlier line was dropped; raise --limit logBytes")
    #expect(
      lines((999, "logBytes"), (1_000_001, "logLines"), (0, "logBytes")).sentence
        == "… 1,001,000 earlier lines were dropped; raise --limit logBytes and logLines")
    #expect(lines((2, "x\u{1B}")).sentence == "… 2 earlier lines were dropped; raise --limit x\\u{1B}")
    #expect(lines((2, nil)).sentence == "… 2 earlier lines were dropped; raise --limit logLines or logBytes")
    #expect(lines((12_345, nil)).json == Array("{\"dropped\":12345}\n".utf8))
  }
}
