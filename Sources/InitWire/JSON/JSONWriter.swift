/// Writes JSON text to an array of bytes. It writes commas and escapes; the caller ensures correct nesting.
package struct JSONWriter {
  private var text: TextBuffer
  /// How much of the texts of other programs is written.
  package var detail = StatusText.Detail.whole
  /// The maximum size in bytes; the caller drops a longer text.
  var limit = Int.max
  private var needsComma = false

  /// The size of the text so far, in bytes.
  var count: Int { text.count }
  var isTooLong: Bool { count > limit }

  /// An empty writer, with memory reserved for `count` bytes of text.
  ///
  /// - Parameter head: what comes before the text.
  init(head: StaticString = "", reserving count: Int = 0) {
    text = TextBuffer(room: head.utf8CodeUnitCount + max(count, 64))
    append(head)
  }

  /// Hands over the text; the writer is empty then.
  mutating func take() -> [UInt8] { text.take() }

  /// Changes the bytes of the text.
  mutating func withBytes(_ change: (UnsafeMutableRawBufferPointer) -> Void) { text.withBytes(change) }

  /// Writes an object; `body` writes its members.
  mutating func object<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try nest("{", "}", body)
  }

  /// Writes the object of a message; `body` writes the members after `jsonrpc`.
  mutating func message<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    append("{\"jsonrpc\":\"2.0\"")
    needsComma = true
    try body(&self)
    text.append(UInt8(ascii: "}"))
  }

  /// Writes an array; `body` writes its elements.
  mutating func array<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    try nest("[", "]", body)
  }

  private mutating func nest<Failure>(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    separate()
    text.append(UInt8(ascii: open))
    needsComma = false
    try body(&self)
    text.append(UInt8(ascii: close))
    needsComma = true
  }

  /// Removes the brace or bracket that was written last, to continue.
  mutating func reopen() { text.removeLast() }

  /// Writes the name of the next member.
  mutating func key(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    text.append(atMost: length + 4) { place in
      var end = place
      store(needsComma ? UInt8(ascii: ",") : nil, at: &end)
      store(UInt8(ascii: "\""), at: &end)
      end.update(from: name.utf8Start, count: length)
      end += length
      store(UInt8(ascii: "\""), at: &end)
      store(UInt8(ascii: ":"), at: &end)
      return end - place
    }
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
    text.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string.
  mutating func string(_ string: String) {
    separate()
    text.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { escape($0) }
    text.append(UInt8(ascii: "\""))
    needsComma = true
  }

  private mutating func escape(_ string: UnsafeBufferPointer<UInt8>) {
    var written = 0
    var place = -1
    while let next = Self.special(in: string, from: place + 1) {
      place = next
      let byte = string[place]
      text.append(UnsafeBufferPointer(rebasing: string[written..<place]))
      written = place + 1
      text.append(UInt8(ascii: "\\"))
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(byte)
      case UInt8(ascii: "\n"): text.append(UInt8(ascii: "n"))
      case UInt8(ascii: "\r"): text.append(UInt8(ascii: "r"))
      case UInt8(ascii: "\t"): text.append(UInt8(ascii: "t"))
      default:
        append("u00")
        text.append(Self.digits[Int(byte >> 4)])
        text.append(Self.digits[Int(byte & 15)])
      }
    }
    text.append(UnsafeBufferPointer(rebasing: string[written...]))
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// The place of the next byte that must be escaped; eight bytes at a time.
  private static func special(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var place = start
    while place + 8 <= text.count {
      let word = UnsafeRawPointer(text.baseAddress! + place).loadUnaligned(as: UInt64.self)
      if StrictJSON.escaped(in: word) & ~word != 0 { break }
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
    text.append(atMost: 21) { place in
      var end = place
      store(needsComma ? UInt8(ascii: ",") : nil, at: &end)
      store(number < 0 ? UInt8(ascii: "-") : nil, at: &end)
      let digits = end
      var rest = number.magnitude
      repeat {
        let (tens, unit) = rest.quotientAndRemainder(dividingBy: 10)
        store(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: unit), at: &end)
        rest = tens
      } while rest > 0
      var reversed = UnsafeMutableBufferPointer(start: digits, count: end - digits)
      reversed.reverse()
      return end - place
    }
    needsComma = true
  }

  /// Writes a finite number; a whole number has no fraction.
  mutating func number(_ number: Double) {
    let micros = (number * 1e6).rounded()
    // Most numbers are seconds, to the microsecond. Below 2^32 no two of these are the same `Double`, so the digits without the zeros at the
    // end are the shortest that are read as this number, as those of `description` are.
    guard number.sign == .plus, micros < 4e15, micros / 1e6 == number else { return plain(Self.text(of: number)) }
    let (whole, fraction) = Int(micros).quotientAndRemainder(dividingBy: 1_000_000)
    integer(whole)
    guard fraction > 0 else { return }
    text.append(atMost: 7) { place in
      var (rest, divisor, end) = (fraction, 100_000, place)
      store(UInt8(ascii: "."), at: &end)
      while rest > 0 {
        let (digit, less) = rest.quotientAndRemainder(dividingBy: divisor)
        store(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit), at: &end)
        (rest, divisor) = (less, divisor / 10)
      }
      return end - place
    }
  }

  static func text(of number: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Writes a Boolean.
  mutating func boolean(_ value: Bool) { plain(value ? "true" : "false") }

  /// Writes a value that is already JSON text.
  mutating func raw(_ json: some Collection<UInt8>) {
    separate()
    add(json)
    needsComma = true
  }

  /// Adds bytes as they are.
  mutating func add(_ bytes: some Collection<UInt8>) {
    if bytes.withContiguousStorageIfAvailable({ text.append($0) }) == nil {
      for byte in bytes { text.append(byte) }
    }
  }

  private mutating func plain(_ text: String) { raw(text.utf8) }

  private mutating func append(_ part: StaticString) {
    text.append(UnsafeBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount))
  }

  private mutating func separate() {
    if needsComma { text.append(UInt8(ascii: ",")) }
  }
}

/// Stores a byte, if there is one, and goes to the next place.
@inline(__always)
private func store(_ byte: UInt8?, at place: inout UnsafeMutablePointer<UInt8>) {
  guard let byte else { return }
  place.pointee = byte
  place += 1
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
