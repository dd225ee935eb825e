import Testing

@testable import InitText

struct MessageLimitTests {
  @Test("A long message is cut at a character boundary and marked; one that fits is unchanged", arguments: 1020...1040)
  func cut(count: Int) {
    for character in ["a", "é", "€", "😀"] {
      let text = String(repeating: character, count: count / character.utf8.count)
      let cut = text.cut()
      #expect(cut.utf8.count <= MessageLimit.bytes)
      if text.utf8.count <= MessageLimit.bytes {
        #expect(cut == text)
      } else {
        #expect(cut.hasSuffix(MessageLimit.mark))
        #expect(text.hasPrefix(cut.dropLast(MessageLimit.mark.count)))
        #expect(cut.utf8.count > MessageLimit.bytes - 4)
      }
    }
  }

  @Test("The mark counts, and a limit that it exceeds keeps nothing else")
  func marks() {
    #expect("abcdefg".cut(to: 7, mark: "…") == "abcdefg")
    #expect("abcdefgh".cut(to: 7, mark: "…") == "abcd…")
    #expect("abcdefgh".cut(to: 2, mark: "…") == "…")
  }
}
