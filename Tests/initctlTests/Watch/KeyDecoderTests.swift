import Testing

@testable import initctl

struct KeyDecoderTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.keys(text.utf8) + decoder.flush()
  }

  @Test("Characters, Enter and Backspace are keys; other control characters are none")
  func characters() {
    #expect(keys("j/é界") == [.character("j"), .character("/"), .character("é"), .character("界")])
    #expect(keys("\r\n\u{7F}\u{8}\u{0}\u{1}\u{4}\t\u{9B}") == [.enter, .enter, .backspace, .backspace])
  }

  @Test(
    "Sequences of arrows and paging keys are keys, in both modes of a terminal",
    arguments: [
      ("\u{1B}[A", Key.up), ("\u{1B}OA", .up), ("\u{1B}[B", .down), ("\u{1B}OB", .down), ("\u{1B}[5~", .pageUp),
      ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}[1~", .home), ("\u{1B}[F", .end), ("\u{1B}[4~", .end),
    ])
  func sequences(text: String, key: Key) {
    #expect(keys(text) == [key])
    // In parts, wherever it is split.
    for place in 1..<text.utf8.count {
      var decoder = KeyDecoder()
      #expect(decoder.keys(text.utf8.prefix(place)).isEmpty)
      #expect(decoder.isPending)
      #expect(decoder.keys(text.utf8.dropFirst(place)) == [key])
      #expect(!decoder.isPending)
    }
  }

  @Test("A character in parts is one key")
  func split() {
    var decoder = KeyDecoder()
    #expect(Array("界".utf8).map { decoder.keys([$0]) } == [[], [], [.character("界")]])
  }

  @Test("Nothing of an unknown sequence counts as a character")
  func unknown() {
    for text in ["\u{1B}[Z", "\u{1B}[15~", "\u{1B}[1;5C", "\u{1B}[[A", "\u{1B}OP", "\u{1B}q", "\u{1B}[<0;3;4M"] {
      #expect(keys(text + "j") == [.character("j")], "\(text.debugDescription)")
    }
    #expect(keys("\u{1B}[" + String(repeating: "1", count: 31)).isEmpty)
    #expect(keys("\u{1B}[" + String(repeating: "1", count: 31) + "j") == [.character("j")])
  }

  @Test("A lone ESC is Escape once nothing follows it, or another key does")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1B]).isEmpty)
    #expect(decoder.isPending)
    #expect(decoder.flush() == [.escape])
    #expect(decoder.flush() == [])
    #expect(keys("\u{1B}\u{1B}[A") == [.escape, .up])
    // The rest of a sequence that never came.
    #expect(keys("\u{1B}[") == [])
  }

  @Test("Bytes that aren't UTF-8 are no keys, and the next character is")
  func invalid() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0xE7, 0x6A, 0xFF, 0x80, 0xC3, 0xC3, 0xA9]) == [.character("j"), .character("é")])
  }
}
