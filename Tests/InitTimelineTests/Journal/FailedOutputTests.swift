import InitModel
import InitWire
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("Lines of the file of failures")
struct FailedOutputTests {
  private func shape(_ line: String, of name: String = "a", pass: Int? = 3, instance: String? = nil) -> LogLine {
    LogLine(
      time: 1.25, initializer: name, run: 4, attempt: 2, pass: pass, instance: instance, stream: .stderr, line: line)
  }

  private func output(_ lines: String..., of name: String = "a") throws -> FailedOutput {
    try #require(FailedOutput(lines.map { shape($0, of: name) }, instance: "i"))
  }

  private func read(_ bytes: [UInt8]) -> [[String]] { FailedOutput.read(bytes).outputs.map { $0.shapes.map(\.line) } }

  @Test("Lines come back with their attempt, pass and supervisor")
  func roundTrip() throws {
    let (outputs, damaged) = FailedOutput.read(try output("one\u{1}", "two\u{1B}[0m").text)
    #expect(outputs.count == 1 && damaged == 0)
    #expect(outputs.first?.shapes == ["one\u{1}", "two\u{1B}[0m"].map { shape($0, instance: "i") })
    let earlier = FailedOutput([shape("x", pass: nil, instance: "before")], instance: "i")
    #expect(earlier?.shapes == [shape("x", pass: nil, instance: "before")])
    #expect(FailedOutput([], instance: "i") == nil)
  }

  @Test("The last line of a name counts; without output lines nothing of it is kept")
  func last() throws {
    let a = try output("1").text
    let b = try output("2", of: "b").text
    #expect(read(a + b) == [["1"], ["2"]])
    #expect(read(a + b + (try output("3").text)) == [["2"], ["3"]])
    #expect(read(a + b + FailedOutput(nothingOf: "a").text) == [["2"]])
    #expect(read(FailedOutput(nothingOf: "a").text + a) == [["1"]])
  }

  @Test("A file that ends at any byte has all its complete lines, and no damage")
  func cutOff() throws {
    let first = try output("1", "2").text
    let second = try output("3", of: "b").text
    for length in 0...(first.count + second.count) {
      let (outputs, damaged) = FailedOutput.read(Array((first + second).prefix(length)))
      let complete = (length >= first.count ? 1 : 0) + (length == first.count + second.count ? 1 : 0)
      #expect(outputs.count == complete && damaged == 0, "\(length)")
    }
  }

  @Test("A line with any damaged byte is left out and counted; the others stay")
  func damage() throws {
    let first = try output("1").text
    let second = try output("2", of: "b").text
    for place in first.indices.dropLast() {
      var damagedLine = first
      damagedLine[place] ^= 0x81
      let (outputs, damaged) = FailedOutput.read(damagedLine + second)
      #expect(outputs.map(\.name) == ["b"] && damaged == 1, "\(place)")
    }
    #expect(FailedOutput.read(Array("nonsense\n".utf8) + second).damaged == 1)
  }
}
