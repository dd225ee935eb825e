/// Writes JSON text straight into bytes. Its callers see to the nesting; it sees to commas and escapes.
package struct JSONWriter {
  private(set) var bytes: [UInt8]
  /// How much of other programs' words is written.
  package var detail = StatusText.Detail.whole
  /// How many bytes are enough: once there are more, the text is of no use.
  var limit = Int.max
  private var needsComma = false

  var isTooLong: Bool { bytes.count > limit }

  /// A writer of nothing so far, with room for so many bytes.
  init(reserving count: Int = 0) {
    bytes = []
    bytes.reserveCapacity(count)
  }

  /// An object, whose members `body` writes.
  mutating func object<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try nest("{", "}", body)
  }

  /// An array, whose elements `body` writes.
  mutating func array<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try nest("[", "]", body)
  }

  private mutating func nest<Failure>(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    separate()
    bytes.append(UInt8(ascii: open))
    needsComma = false
    try body(&self)
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  /// The name of the member that is written next.
  mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// The name of the member that is written next, whatever it is.
  mutating func key(named name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A string.
  mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { escape($0) }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
    var written = 0
    for (place, byte) in text.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    {
      bytes.append(contentsOf: text[written..<place])
      written = place + 1
      bytes.append(UInt8(ascii: "\\"))
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
      case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
      case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
      case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
      default:
        bytes.append(contentsOf: "u00".utf8)
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      }
    }
    bytes.append(contentsOf: text[written...])
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// An integer.
  mutating func integer(_ number: Int) { plain(number.description) }

  /// A finite number; a whole one is written without a fraction.
  mutating func number(_ number: Double) { plain(Self.text(of: number)) }

  static func text(of number: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A truth value.
  mutating func boolean(_ value: Bool) { plain(value ? "true" : "false") }

  /// A value whose JSON text is there already.
  mutating func raw(_ text: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: text)
    needsComma = true
  }

  private mutating func plain(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }
}

/// The members of a shape, on their way out.
extension JSONWriter: Members {
  package var isReading: Bool { false }
  package func has(_ name: StaticString) -> Bool { false }

  package mutating func required<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value, _: Rule<Value>?
  ) throws(ShapeFault) {
    key(name)
    do throws(ShapeFault) { try value.write(to: &self) } catch { throw error.inside(".\(name)") }
  }

  package mutating func optional<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value, _ rule: Rule<Value>?
  ) throws(ShapeFault) { try required(name, &value, rule) }

  package mutating func optional<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value?, _ rule: Rule<Value>?
  ) throws(ShapeFault) { if var value { try required(name, &value, rule) } }
}
