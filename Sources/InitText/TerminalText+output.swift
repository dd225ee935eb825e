extension TerminalText {
  /// Returns a line of a command's output as people read it, escaped; see ``plain(_:)``.
  package static func output(_ line: String) -> String { escape(plain(line)) }

  /// Returns a line of a command's output without the parts for a terminal.
  ///
  /// For a progress bar, which returns to the beginning of its line repeatedly, only the last state remains. Colours, cursor movements and
  /// links are left out. The text isn't escaped.
  ///
  /// An incomplete escape sequence stays.
  package static func plain(_ line: String) -> String {
    guard line.utf8.contains(where: { $0 == escapeByte || $0 == carriageReturn }) else { return line }
    let text = withoutSequences(Array(line.utf8))
    let states = text.split(separator: carriageReturn)
    // A state without text has only moved the cursor.
    let last = states.last { state in !state.allSatisfy { $0 == UInt8(ascii: " ") } } ?? states.last ?? []
    return String(decoding: last, as: UTF8.self)
  }

  private static let escapeByte: UInt8 = 0x1B
  private static let carriageReturn = UInt8(ascii: "\r")

  private static func withoutSequences(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      if bytes[place] == escapeByte, let end = endOfSequence(bytes, from: place + 1) {
        place = end
      } else {
        text.append(bytes[place])
        place += 1
      }
    }
    return text
  }

  /// Returns the end of the escape sequence whose second byte is at this position (ECMA-48); nil if it isn't complete.
  private static func endOfSequence(_ bytes: [UInt8], from second: Int) -> Int? {
    guard second < bytes.count else { return nil }
    var place = second + 1
    switch bytes[second] {
    case UInt8(ascii: "["):
      // CSI: colours, cursor movements, erasing.
      while place < bytes.count, 0x20...0x3F ~= bytes[place] { place += 1 }
      return place < bytes.count && 0x40...0x7E ~= bytes[place] ? place + 1 : nil
    case UInt8(ascii: "]"):
      // OSC: titles and links, up to BEL or ESC \.
      while place < bytes.count {
        if bytes[place] == 0x07 { return place + 1 }
        if bytes[place] == escapeByte { return place + 1 < bytes.count && bytes[place + 1] == 0x5C ? place + 2 : nil }
        place += 1
      }
      return nil
    case 0x28...0x2F:
      // A character set, which tput sgr0 selects.
      while place < bytes.count, 0x20...0x2F ~= bytes[place] { place += 1 }
      return place < bytes.count && 0x30...0x7E ~= bytes[place] ? place + 1 : nil
    default: return nil
    }
  }
}
