/// The check that stands before every decoder: RFC 8259 to the letter, in one pass over the bytes.
///
/// A JSON decoder is lenient where a protocol may not be: it takes trailing commas, a byte order mark or UTF-16, lets
/// one of two equal keys win, and doesn't look at values that nobody asks for. So two implementations could read one
/// message differently. What passes here can be read in one way only.
///
/// Terms. The *payload* is the bytes of one message. A *value* is what RFC 8259 calls so. An *outline* is what the one
/// pass remembers: the members of an object, or the elements of an array, as kinds and byte ranges, so that each can be
/// judged by its own text, and decoded alone or passed on untouched.
///
/// The law, for every value whether anybody reads it or not:
/// 1. Grammar: RFC 8259, with whitespace around the value allowed; no trailing comma, no comment, nothing behind.
/// 2. Text: valid UTF-8 (nothing overlong, no surrogate, nothing above U+10FFFF), no byte order mark, no unescaped
///    control character, and `\u` surrogates only in pairs.
/// 3. Keys: no two equal ones in one object, compared byte by byte after unescaping.
/// 4. Depth: at most 32 open braces and brackets, the message's own included.
/// 5. Cost: linear in the bytes, no recursion, whatever they are.
public enum StrictJSON {
  /// How many braces and brackets may be open at once, the message's own included (protocol §1).
  public static let greatestDepth = 32

  /// The kinds of value that RFC 8259 has.
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

  /// Where and why a payload isn't what it must be.
  public struct Fault: Error, Sendable, Equatable {
    /// Which byte of the payload shows it, counted from 0.
    public let offset: Int
    /// What is wrong there.
    public let reason: Reason

    /// A fault at a byte of the payload, counted from 0.
    public init(offset: Int, reason: Reason) {
      self.offset = offset
      self.reason = reason
    }
  }

  /// What can be wrong with a payload.
  public enum Reason: String, Sendable, Equatable, CaseIterable {
    /// The bytes end within a value, or there are none.
    case unexpectedEnd = "it ends too early"
    /// UTF-8 needs no byte order mark, and RFC 8259 forbids it.
    case byteOrderMark = "a byte order mark is not allowed"
    /// A message is an object.
    case notAnObject = "it must be one object"
    /// Something stands behind the value.
    case trailingBytes = "nothing may follow the object"
    /// A value must stand here.
    case expectedValue = "a value must stand here"
    /// A key, in quotes, must stand here.
    case expectedKey = "a key in quotes must stand here"
    /// A colon must stand here.
    case expectedColon = "a colon must stand here"
    /// A comma or the closing brace or bracket must stand here.
    case expectedSeparator = "a comma or the closing brace or bracket must stand here"
    /// A comma is followed by a closing brace or bracket.
    case trailingComma = "a comma may not be the last thing"
    /// Neither `true`, `false` nor `null`.
    case invalidLiteral = "not one of true, false and null"
    /// Not a number by RFC 8259.
    case invalidNumber = "not a number"
    /// A backslash followed by something it can't escape.
    case invalidEscape = "not an escape"
    /// A byte under 0x20 within a string.
    case controlCharacter = "a control character must be escaped"
    /// A byte sequence that isn't UTF-8.
    case invalidUTF8 = "not UTF-8"
    /// Half of a surrogate pair.
    case unpairedSurrogate = "a surrogate must be one of a pair"
    /// More braces and brackets are open than may be.
    case tooDeep = "nested more than 32 deep"
    /// A key that its object already has.
    case duplicateKey = "this key stands here twice"
  }

  /// One member of an object, or one element of an array.
  struct Child {
    /// The text between the key's quotes, as it stands; empty for an element.
    let key: Range<Int>
    /// Whether the key has escapes.
    let keyIsEscaped: Bool
    let kind: Kind
    /// The value's bytes.
    let range: Range<Int>
  }

  /// What one pass over a value remembers.
  struct Outline {
    let payload: [UInt8]
    /// The members or elements in order; none for a string, a number, a boolean or null.
    let children: [Child]
    let kind: Kind
    /// The value's bytes, without the whitespace around them.
    let range: Range<Int>

    /// The value of a member, or nil if there is none of that name.
    subscript(key: String) -> RawJSON? {
      for child in children where matches(child, key) {
        return RawJSON(unchecked: payload, range: child.range, kind: child.kind)
      }
      return nil
    }

    /// The elements of an array, or the values of an object, in order.
    var values: some Sequence<RawJSON> {
      children.lazy.map { RawJSON(unchecked: payload, range: $0.range, kind: $0.kind) }
    }

    /// One of them, counted from 0.
    func value(_ index: Int) -> RawJSON {
      RawJSON(unchecked: payload, range: children[index].range, kind: children[index].kind)
    }

    /// The names of an object's members, in order.
    var names: [String] {
      children.map { child in
        let key = child.keyIsEscaped ? unescape(payload, child.key) : Array(payload[child.key])
        return String(decoding: key, as: UTF8.self)
      }
    }

    /// The members of an object, by name.
    var members: [String: RawJSON] {
      Dictionary(zip(names, values)) { first, _ in first }
    }

    private func matches(_ child: Child, _ key: String) -> Bool {
      child.keyIsEscaped
        ? unescape(payload, child.key).elementsEqual(key.utf8)
        : child.key.count == key.utf8.count && payload[child.key].elementsEqual(key.utf8)
    }
  }

  /// Checks a payload, which must be one object, and outlines it.
  ///
  /// - Throws: the first fault, with the byte that shows it.
  static func outline(message payload: [UInt8]) throws(Fault) -> Outline {
    try Scanner.scan(payload, within: payload.indices, asMessage: true)
  }

  /// Checks a payload, which may be any value, and outlines it.
  ///
  /// - Throws: the first fault, with the byte that shows it.
  static func outline(value payload: [UInt8], within range: Range<Int>) throws(Fault) -> Outline {
    try Scanner.scan(payload, within: range, asMessage: false)
  }

  /// Checks that a payload is one strict JSON object (protocol §1).
  ///
  /// - Throws: the first fault, with the byte that shows it.
  public static func check(message payload: [UInt8]) throws(Fault) {
    _ = try outline(message: payload)
  }
}

extension StrictJSON.Fault: CustomStringConvertible {
  /// What is wrong and where, in words fit for an answer.
  public var description: String { "cannot read the JSON: \(reason.rawValue), at byte \(offset)" }
}
