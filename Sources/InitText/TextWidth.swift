/// The width of text on a terminal, and padding and clipping.
package enum TextWidth {
  /// Counts the columns of a text without control characters.
  package static func columns(_ text: String) -> Int {
    // Nearly all text is ASCII. All its bytes are looked at without a branch, which the compiler vectorizes.
    let bits = text.utf8.withContiguousStorageIfAvailable { $0.reduce(0, |) }
    if let bits, bits < 0x80 { return text.utf8.count }
    return text.reduce(0) { $0 + columns($1) }
  }

  /// Pads a text with spaces to that many columns.
  package static func pad(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - self.columns(text)))
  }

  /// Returns the text, or its beginning and an ellipsis, in at most that many columns.
  package static func clip(_ text: String, to columns: Int) -> String {
    guard self.columns(text) > columns else { return text }
    var result = ""
    var width = 0
    for character in text {
      width += self.columns(character)
      guard width < columns else { break }
      result.append(character)
    }
    return columns > 0 ? result + "…" : ""
  }

  private static func columns(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if character.unicodeScalars.contains("\u{FE0F}") || scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // A halfwidth sound mark belongs to the character before it, and takes a column of its own.
    let marks = character.unicodeScalars.dropFirst().count { $0 == "\u{FF9E}" || $0 == "\u{FF9F}" }
    return marks + (isWide(scalar) ? 2 : 1)
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    // East Asian Wide and Fullwidth (UAX #11), by blocks.
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
