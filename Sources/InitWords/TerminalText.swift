/// Makes texts of other programs safe for a terminal or a log: names, messages and output of commands.
public enum TerminalText {
  /// The text, with all characters escaped that could move the cursor, end a line, or reorder or hide other text.
  ///
  /// These are escaped, as `\n`, `\r`, `\t` or `\u{1B}`: C0, DEL and C1 controls; U+2028 and U+2029; bidirectional controls and all other
  /// format characters, except the joiners U+200C and U+200D, which some scripts and emoji need; and code points that aren't characters.
  /// All other text is unchanged, even a backslash: the result is for reading, and can't be unescaped.
  public static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      if isEscaped(scalar) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
    case .unassigned: scalar.properties.isNoncharacterCodePoint
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
