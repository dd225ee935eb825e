/// Writes JSON text straight into bytes. What it is told to write has to be well nested; it sees to commas and escapes.
struct JSONWriter {
  private(set) var bytes: [UInt8]
  private var needsComma = false

  /// A writer of nothing so far, with room for so many bytes.
  init(reserving count: Int = 0) {
    bytes = []
    bytes.reserveCapacity(count)
  }

  /// An object, whose members `body` writes.
  mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }

  /// An array, whose elements `body` writes.
  mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

  private mutating func nest(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: open))
    needsComma = false
    body(&self)
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

  /// A number. One that is infinite or none has no JSON, and is written as null.
  mutating func number(_ number: Double) { plain(number.isFinite ? number.description : "null") }

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
