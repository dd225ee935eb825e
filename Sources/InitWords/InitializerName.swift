/// The rule for names of initializers (protocol §4).
public enum InitializerName {
  /// The maximum length of a name, in bytes.
  public static let longest = 128
  /// The rule for error messages; the member's name precedes it.
  public static let requirement =
    "must be 1 to 128 characters (ASCII letters, digits and . _ : / @ + -) and start with a letter or digit"

  /// Returns whether a text is a valid name: 1 to 128 bytes of ASCII letters, digits and `._:/@+-`, beginning with a letter or digit.
  public static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= longest, isLetterOrDigit(first) else { return false }
    return bytes.allSatisfy { isLetterOrDigit($0) || punctuation.contains($0) }
  }

  private static let punctuation = Array("._:/@+-".utf8)

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
