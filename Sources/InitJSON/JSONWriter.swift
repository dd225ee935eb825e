/// Writes JSON text to an array of bytes.
///
/// The writer adds commas and escapes; the caller ensures correct nesting.
public struct JSONWriter {
  /// How much of long texts is written.
  public enum Detail: Sendable {
    /// The complete texts.
    case whole
    /// A part of the objects' names.
    case short
    /// None.
    case none
  }

  private var text: TextBuffer
  /// How much of long texts is written, for shapes that have such texts.
  public var detail = Detail.whole
  /// The maximum size in bytes; the caller drops a longer text.
  public var limit = Int.max
  private var needsComma = false

  /// The size of the text so far, in bytes.
  public var count: Int { text.count }
  /// Whether the text is longer than the maximum size.
  public var isTooLong: Bool { count > limit }

  /// Creates an empty writer, with memory reserved for `count` bytes of text.
  ///
  /// - Parameters:
  ///   - head: the text at the beginning.
  ///   - count: the expected number of bytes.
  public init(head: StaticString = "", reserving count: Int = 0) {
    text = TextBuffer(room: head.utf8CodeUnitCount + max(count, 64))
    append(head)
  }

  /// Creates an empty writer with room for this number of bytes; with 0, it takes no memory.
  @usableFromInline init(room: Int) { text = TextBuffer(room: room) }

  /// Returns the text and leaves the writer empty.
  public mutating func take() -> [UInt8] { text.take() }

  /// Changes the bytes of the text.
  public mutating func withBytes(_ change: (UnsafeMutableRawBufferPointer) -> Void) { text.withBytes(change) }

  /// Writes an object; `body` writes its members.
  @inlinable public mutating func object<Failure>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    open(UInt8(ascii: "{"))
    try body(&self)
    close(UInt8(ascii: "}"))
  }

  /// Writes an array; `body` writes its elements.
  @inlinable public mutating func array<Failure>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    open(UInt8(ascii: "["))
    try body(&self)
    close(UInt8(ascii: "]"))
  }

  @usableFromInline mutating func open(_ bracket: UInt8) {
    separate()
    text.append(bracket)
    needsComma = false
  }

  @usableFromInline mutating func close(_ bracket: UInt8) {
    text.append(bracket)
    needsComma = true
  }

  /// Removes the brace or bracket that was written last, to continue.
  public mutating func reopen() { text.removeLast() }

  /// Writes the name of the next member.
  public mutating func key(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    text.append(atMost: length + 4) { start in
      var end = start
      store(needsComma ? UInt8(ascii: ",") : nil, at: &end)
      store(UInt8(ascii: "\""), at: &end)
      end.update(from: name.utf8Start, count: length)
      end += length
      store(UInt8(ascii: "\""), at: &end)
      store(UInt8(ascii: ":"), at: &end)
      return end - start
    }
    needsComma = false
  }

  /// Writes the name of the next member, with escapes if necessary.
  public mutating func key(named name: String) {
    string(name)
    text.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string.
  public mutating func string(_ string: String) {
    separate()
    text.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { escape($0) }
    text.append(UInt8(ascii: "\""))
    needsComma = true
  }

  private mutating func escape(_ string: UnsafeBufferPointer<UInt8>) {
    var written = 0
    var index = -1
    while let next = Self.special(in: string, from: index + 1) {
      index = next
      let byte = string[index]
      text.append(UnsafeBufferPointer(rebasing: string[written..<index]))
      written = index + 1
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

  /// Returns the position of the next byte that must be escaped.
  ///
  /// The search examines eight bytes at a time.
  private static func special(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var index = start
    while index + 8 <= text.count {
      let word = UnsafeRawPointer(text.baseAddress! + index).loadUnaligned(as: UInt64.self)
      if StrictJSON.escaped(in: word) & ~word != 0 { break }
      index += 8
    }
    while index < text.count {
      let byte = text[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
      index += 1
    }
    return nil
  }

  /// Writes an integer.
  public mutating func integer(_ number: Int) {
    text.append(atMost: 21) { start in
      var end = start
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
      return end - start
    }
    needsComma = true
  }

  /// Writes a finite number; a whole number has no fraction.
  public mutating func number(_ number: Double) {
    let micros = (number * 1e6).rounded()
    // Most numbers are seconds, to the microsecond. Below 2^32, no two of these are the same `Double`. So the digits without trailing zeros
    // are the shortest that are read as this number, as in `description`.
    guard number.sign == .plus, micros < 4e15, micros / 1e6 == number else { return plain(Self.text(of: number)) }
    let (whole, fraction) = Int(micros).quotientAndRemainder(dividingBy: 1_000_000)
    integer(whole)
    guard fraction > 0 else { return }
    text.append(atMost: 7) { start in
      var rest = fraction
      var divisor = 100_000
      var end = start
      store(UInt8(ascii: "."), at: &end)
      while rest > 0 {
        let (digit, less) = rest.quotientAndRemainder(dividingBy: divisor)
        store(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit), at: &end)
        rest = less
        divisor /= 10
      }
      return end - start
    }
  }

  static func text(of number: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Writes a Boolean.
  public mutating func boolean(_ value: Bool) { plain(value ? "true" : "false") }

  /// Writes a value that is already JSON text.
  public mutating func raw(_ json: ArraySlice<UInt8>) {
    separate()
    json.withUnsafeBufferPointer { text.append($0) }
    needsComma = true
  }

  /// Writes an object; `body` visits its members.
  @inlinable public mutating func members(_ body: (inout Members) throws(ShapeFault) -> Void) throws(ShapeFault) {
    open(UInt8(ascii: "{"))
    var members = Members(writing: &self)
    defer { members.endWriting(to: &self) }
    try body(&members)
  }

  /// Writes the text of a number, a truth value or null.
  public mutating func plain(_ word: String) {
    separate()
    var word = word
    word.withUTF8 { text.append($0) }
    needsComma = true
  }

  private mutating func append(_ part: StaticString) {
    text.append(UnsafeBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount))
  }

  private mutating func separate() {
    if needsComma { text.append(UInt8(ascii: ",")) }
  }
}

/// Stores a byte, if there is one, and moves to the next position.
@inline(__always)
private func store(_ byte: UInt8?, at end: inout UnsafeMutablePointer<UInt8>) {
  guard let byte else { return }
  end.pointee = byte
  end += 1
}
