/// The strict JSON check before any decoding: exactly RFC 8259, in one pass over the bytes.
///
/// JSON decoders are often lenient: they accept trailing commas, a byte order mark, UTF-16 or duplicate keys, and skip values that aren't
/// read. Two implementations could then read the same text differently. A text that passes this check has only one meaning.
///
/// A *value* is a value of RFC 8259. The result of the pass is a `JSONTree` with the position and type of each value, so the bytes aren't
/// scanned again.
///
/// These rules apply to all values, including those that aren't read:
/// 1. Grammar: RFC 8259, with whitespace around the value; trailing commas, comments, and text after the value are errors.
/// 2. Text: valid UTF-8 (no overlong sequence, no surrogate, no code point above U+10FFFF), no byte order mark, no unescaped control
///    character, and `\u` surrogates only in pairs.
/// 3. Keys: no duplicates in an object, compared byte by byte after unescaping.
/// 4. Depth: at most 32 open braces and brackets.
/// 5. Cost: linear in the bytes, and without recursion, for any input.
public enum StrictJSON {
  /// The maximum number of open braces and brackets.
  public static let greatestDepth = 32

  /// The types of values in RFC 8259.
  public enum Kind: Sendable, Equatable {
    /// `{…}`
    case object
    /// `[…]`
    case array
    /// `"…"`
    case string
    /// An integer or not: see `RawJSON.integer`.
    case number
    /// `true` or `false`
    case boolean
    /// `null`
    case null
  }

  /// Where a text is invalid, and why.
  public struct Fault: Error, Sendable, Equatable {
    /// The index of the byte that shows the mistake.
    public let offset: Int
    /// The kind of the fault.
    public let reason: Reason

    /// Creates a fault at the byte with this index.
    public init(offset: Int, reason: Reason) {
      self.offset = offset
      self.reason = reason
    }
  }

  /// The possible faults of a text.
  public enum Reason: String, Sendable, Equatable, CaseIterable {
    /// The text is empty, or ends within a value.
    case unexpectedEnd = "unexpected end"
    /// UTF-8 needs no byte order mark, and RFC 8259 forbids it.
    case byteOrderMark = "a byte order mark is not allowed"
    /// The text must be an object.
    case notAnObject = "it must be an object"
    /// Text follows the value.
    case trailingBytes = "unexpected text after the value"
    /// A value must follow here.
    case expectedValue = "a value is expected"
    /// A key in quotes must follow here.
    case expectedKey = "a key in quotes is expected"
    /// A colon must follow here.
    case expectedColon = "a colon is expected"
    /// A comma or the closing brace or bracket must follow here.
    case expectedSeparator = "a comma or a closing brace or bracket is expected"
    /// A comma is followed by a closing brace or bracket.
    case trailingComma = "a trailing comma is not allowed"
    /// The literal isn't `true`, `false` or `null`.
    case invalidLiteral = "true, false or null is expected"
    /// The text isn't a number of RFC 8259.
    case invalidNumber = "invalid number"
    /// A backslash followed by a character that can't be escaped.
    case invalidEscape = "invalid escape"
    /// A byte under 0x20 within a string.
    case controlCharacter = "a control character must be escaped"
    /// A byte sequence that isn't UTF-8.
    case invalidUTF8 = "invalid UTF-8"
    /// Half of a surrogate pair.
    case unpairedSurrogate = "a surrogate must be part of a pair"
    /// More braces and brackets are open than allowed.
    case tooDeep = "nested more than 32 deep"
    /// A duplicate key in an object.
    case duplicateKey = "duplicate key"
  }
}

extension StrictJSON.Fault: CustomStringConvertible {
  /// A text for an error message: what is wrong, and where.
  public var description: String { "cannot read the JSON: \(reason.rawValue), at byte \(offset)" }
}
