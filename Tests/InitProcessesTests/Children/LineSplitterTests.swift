import Testing

@testable import InitProcesses

@Suite("LineSplitter")
struct LineSplitterTests {
  /// Returns the lines of these pieces, including the rest at the end.
  private func lines(_ pieces: [[UInt8]], limit: Int = 100) -> [[UInt8]] {
    var splitter = LineSplitter(limit: limit)
    var lines: [[UInt8]] = []
    for piece in pieces { piece.withUnsafeBytes { splitter.append($0) { lines.append($0) } } }
    splitter.finish { lines.append($0) }
    return lines
  }

  private func lines(_ text: String, limit: Int = 100) -> [String] {
    lines([Array(text.utf8)], limit: limit).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "A line ends with its newline, which isn't part of it; nor is a carriage return before that",
    arguments: [
      ("", []), ("a\n", ["a"]), ("a\nb\n", ["a", "b"]), ("\n\n", ["", ""]), ("a\r\nb\r", ["a", "b\r"]),
      ("\r\n", [""]), ("a\n\u{0}b\n", ["a", "\u{0}b"]),
    ])
  func ends(text: String, expected: [String]) {
    #expect(lines(text) == expected)
  }

  @Test("The end of the stream completes the last line, even without a newline")
  func rest() {
    #expect(lines("a\nb") == ["a", "b"])
    #expect(lines("a\n") == ["a"])
  }

  @Test("The lines are the same, regardless of how the bytes are split")
  func cuts() {
    let bytes = Array("first\r\nzweite Zeile äöü\n\nlast".utf8)
    let whole = lines([bytes], limit: 8)
    for cut in 0...bytes.count {
      #expect(lines([Array(bytes[..<cut]), Array(bytes[cut...])], limit: 8) == whole)
    }
    #expect(lines(bytes.map { [$0] }, limit: 8) == whole)
  }

  @Test("A line as long as the limit is one line, a longer one is split")
  func long() {
    #expect(lines("abcd\nx\n", limit: 4) == ["abcd", "x"])
    #expect(lines("abcde\nx\n", limit: 4) == ["abcd", "e", "x"])
    #expect(lines("abcdefghi", limit: 4) == ["abcd", "efgh", "i"])
  }

  @Test("A long line is split between two characters, for any limit; bytes that aren't characters are split anywhere")
  func characters() {
    let text = "äöü€😀x€ä"
    for limit in 4...12 {
      let pieces = lines([Array(text.utf8)], limit: limit)
      #expect(pieces.allSatisfy { String(validating: $0, as: UTF8.self) != nil && $0.count <= limit })
      #expect(pieces.flatMap { $0 } == Array(text.utf8))
    }
    for limit in 1...3 { #expect(lines([Array(text.utf8)], limit: limit).flatMap { $0 } == Array(text.utf8)) }
    let noise = [UInt8](repeating: 0x80, count: 10)
    #expect(lines([noise], limit: 4) == [Array(noise[..<4]), Array(noise[..<4]), Array(noise[..<2])])
  }
}
