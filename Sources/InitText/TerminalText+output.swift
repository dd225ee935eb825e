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
    var index = 0
    while index < bytes.count {
      if bytes[index] == escapeByte, let end = endOfSequence(bytes, from: index + 1) {
        index = end
      } else {
        text.append(bytes[index])
        index += 1
      }
    }
    return text
  }

  /// Returns the end of the escape sequence whose second byte is at this position (ECMA-48); nil if it isn't complete.
  private static func endOfSequence(_ bytes: [UInt8], from second: Int) -> Int? {
    guard second < bytes.count else { return nil }
    var index = second + 1
    switch bytes[second] {
    case UInt8(ascii: "["):
      // CSI: colours, cursor movements, erasing.
      while index < bytes.count, 0x20...0x3F ~= bytes[index] { index += 1 }
      return index < bytes.count && 0x40...0x7E ~= bytes[index] ? index + 1 : nil
    case UInt8(ascii: "]"):
      // OSC: titles and links, up to BEL or ESC \.
      while index < bytes.count {
        if bytes[index] == 0x07 { return index + 1 }
        if bytes[index] == escapeByte { return index + 1 < bytes.count && bytes[index + 1] == 0x5C ? index + 2 : nil }
        index += 1
      }
      return nil
    case 0x28...0x2F:
      // A character set, which tput sgr0 selects.
      while index < bytes.count, 0x20...0x2F ~= bytes[index] { index += 1 }
      return index < bytes.count && 0x30...0x7E ~= bytes[index] ? index + 1 : nil
    default: return nil
    }
  }
}
