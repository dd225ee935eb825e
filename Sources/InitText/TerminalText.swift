/// Makes texts of other programs safe for a terminal or a log: names, messages and output of commands.
public enum TerminalText {
  /// Escapes all characters in a text that could move the cursor, end a line, or reorder or hide other text.
  ///
  /// These characters are escaped, as `\n`, `\r`, `\t` or `\u{1B}`: C0, DEL and C1 controls; U+2028 and U+2029; bidirectional controls and
  /// all other format characters, except the joiners U+200C and U+200D, which some scripts and emoji need; and code points that aren't
  /// characters. All other text is unchanged, even a backslash: the result is for reading, and can't be unescaped.
  ///
  /// - Parameters:
  ///   - text: the text to escape.
  ///   - visibleOnly: escapes all characters that can't be seen or told apart, including unusual spaces, the joiners, and code points that
  ///     have no character or a private one.
  /// - Returns: the text with escapes.
  public static func escape(_ text: String, visibleOnly: Bool = false) -> String {
    // Nearly all text is printable ASCII.
    if text.utf8.withContiguousStorageIfAvailable({ $0.allSatisfy { 0x20..<0x7F ~= $0 } }) == true { return text }
    guard text.unicodeScalars.contains(where: { isEscaped($0, visibleOnly) }) else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      if isEscaped(scalar, visibleOnly) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Quotes a text for a message: at most 80 bytes of it, with only visible characters.
  package static func quote(_ text: String) -> String {
    "\"\(escape(text.cut(to: 80, mark: "…"), visibleOnly: true))\""
  }

  private static func isEscaped(_ scalar: Unicode.Scalar, _ visibleOnly: Bool) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: visibleOnly || (scalar != "\u{200C}" && scalar != "\u{200D}")
    case .unassigned: visibleOnly || scalar.properties.isNoncharacterCodePoint
    case .spaceSeparator, .privateUse: visibleOnly
    default: false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}
