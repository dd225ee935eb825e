/// One JSON value as it stands in a message: checked by `StrictJSON`, and not decoded yet.
///
/// It shares the message's bytes. It can be passed on untouched, as `ping` does, or decoded where its shape is known.
public struct RawJSON: Sendable {
  /// What kind of value it is.
  public let kind: StrictJSON.Kind
  private let payload: [UInt8]
  private let range: Range<Int>

  /// A value that a scan has found in a payload.
  init(unchecked payload: [UInt8], range: Range<Int>, kind: StrictJSON.Kind) {
    self.payload = payload
    self.range = range
    self.kind = kind
  }

  /// Checks the text of one value, of any kind, with whitespace around it.
  ///
  /// - Throws: the first fault of the text.
  public init(checking text: [UInt8]) throws(StrictJSON.Fault) {
    let outline = try StrictJSON.outline(value: text, within: text.indices)
    self.init(unchecked: text, range: outline.range, kind: outline.kind)
  }

  /// `{}`
  public static let emptyObject = RawJSON(unchecked: Array("{}".utf8), range: 0..<2, kind: .object)

  /// The value's text, without the whitespace around it.
  public var bytes: ArraySlice<UInt8> { payload[range] }

  /// The members or elements, by a pass over this value alone.
  var outline: StrictJSON.Outline {
    // The text has been checked, so this finds no fault; an empty outline is what one would read as.
    (try? StrictJSON.outline(value: payload, within: range))
      ?? StrictJSON.Outline(payload: payload, children: [], kind: kind, range: range)
  }

  /// The integer of 64 bits that this is, judged by its text: `1.0`, `1e2` and what is out of range are none.
  public var integer: Int64? {
    guard kind == .number else { return nil }
    let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes
    guard digits.count <= 19, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return Int64(String(decoding: bytes, as: UTF8.self))
  }

  /// The finite number that this is, rounded as IEEE 754 does; nil for anything else, and for one too large for that.
  public var number: Double? {
    guard kind == .number, let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// The string that this is, unescaped; nil for anything else.
  public var string: String? {
    guard kind == .string else { return nil }
    let text = range.lowerBound + 1..<range.upperBound - 1
    guard payload[text].contains(UInt8(ascii: "\\")) else { return String(decoding: payload[text], as: UTF8.self) }
    return String(decoding: StrictJSON.unescape(payload, text), as: UTF8.self)
  }

  /// The truth value that this is; nil for anything else.
  public var boolean: Bool? {
    kind == .boolean ? bytes.first == UInt8(ascii: "t") : nil
  }
}

extension RawJSON: Equatable {
  /// Whether two values have the same text, whitespace and all.
  public static func == (one: RawJSON, other: RawJSON) -> Bool { one.bytes == other.bytes }
}
