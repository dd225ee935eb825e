/// Writes JSON text to an array of bytes. It writes commas and escapes; the caller ensures correct nesting.
package struct JSONWriter {
  var bytes: [UInt8]
  /// How much of the texts of other programs is written.
  package var detail = StatusText.Detail.whole
  /// The maximum size in bytes; the caller drops a longer text.
  var limit = Int.max
  private var needsComma = false

  var isTooLong: Bool { bytes.count > limit }

  /// An empty writer, with memory reserved for `count` bytes of text.
  ///
  /// - Parameter head: what comes before the text.
  init(head: StaticString = "", reserving count: Int = 0) {
    bytes = []
    bytes.reserveCapacity(head.utf8CodeUnitCount + count)
    append(head)
  }

  /// Writes an object; `body` writes its members.
  mutating func object<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try nest("{", "}", body)
  }

  /// Writes the object of a message; `body` writes the members after `jsonrpc`.
  mutating func message<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    append("{\"jsonrpc\":\"2.0\"")
    needsComma = true
    try body(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Writes an array; `body` writes its elements.
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

  /// Writes the name of the next member.
  mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes the comma and name of a member that isn't the first one, as they are on the wire.
  mutating func next(_ text: StaticString) {
    append(text)
    needsComma = false
  }

  /// Writes the name of the next member, with escapes if necessary.
  mutating func key(named name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string.
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
    var place = -1
    while let next = Self.special(in: text, from: place + 1) {
      place = next
      let byte = text[place]
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

  /// The place of the next byte that must be escaped; eight bytes at a time.
  private static func special(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var place = start
    while place + 8 <= text.count {
      let word = UnsafeRawPointer(text.baseAddress! + place).loadUnaligned(as: UInt64.self)
      let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
      let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
      // A byte's highest bit is set if it is ASCII and below 0x20 or zero in one of the differences, and sometimes above such a byte.
      let found = (word &- ones &* 0x20 | (quotes &- ones) | (backslashes &- ones)) & ~word & (ones &* 0x80)
      if found != 0 { break }
      place += 8
    }
    while place < text.count {
      let byte = text[place]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return place }
      place += 1
    }
    return nil
  }

  /// Writes an integer.
  mutating func integer(_ number: Int) {
    separate()
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var (rest, first) = (number.magnitude, digits.count)
      repeat {
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
    }
    needsComma = true
  }

  /// Writes a finite number; a whole number has no fraction.
  mutating func number(_ number: Double) { plain(Self.text(of: number)) }

  static func text(of number: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Writes a Boolean.
  mutating func boolean(_ value: Bool) { plain(value ? "true" : "false") }

  /// Writes a value that is already JSON text.
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

  private mutating func append(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }
}

/// Writes the members of a shape.
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
