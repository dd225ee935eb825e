extension [UInt8] {
  /// The same bytes without much unused room: a buffer that is written step by step may have twice the room that it needs.
  public var fitted: [UInt8] { capacity > count / 8 * 9 + 4096 ? withUnsafeBytes(Self.init) : self }
}

/// The bytes of a text that is being written.
///
/// `Array.append(contentsOf:)` takes about 90 instructions, and most parts of a message are shorter than ten bytes. So the array is kept
/// longer than the text, and appending a part checks the room only once.
struct TextBuffer {
  /// The text, followed by unused bytes.
  private var memory: [UInt8] = []
  /// How many bytes have been written.
  private(set) var count = 0

  private static let filling = [UInt8](repeating: 0, count: 4096)

  /// Creates an empty text, with room for this number of bytes.
  init(room: Int) {
    memory.reserveCapacity(room)
    fill(to: room)
  }

  private mutating func fill(to length: Int) {
    while memory.count < length { memory += Self.filling[..<min(length - memory.count, Self.filling.count)] }
  }

  @inline(never)
  private mutating func grow(by more: Int) { fill(to: count + max(count, more)) }

  /// Adds at most this number of bytes: `write` stores them, and returns how many there are.
  @inline(__always)
  mutating func append(atMost most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
    if memory.count - count < most { grow(by: most) }
    let end = count
    count += memory.withUnsafeMutableBufferPointer { memory in memory.baseAddress.map { write($0 + end) } ?? 0 }
  }

  /// Adds bytes.
  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    append(atMost: bytes.count) { free in
      free.update(from: start, count: bytes.count)
      return bytes.count
    }
  }

  /// Adds a byte.
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    append(atMost: 1) { free in
      free.pointee = byte
      return 1
    }
  }

  /// Removes the last byte.
  mutating func removeLast() { count -= 1 }

  /// Changes the text.
  mutating func withBytes(_ change: (UnsafeMutableRawBufferPointer) -> Void) {
    memory.withUnsafeMutableBytes { change(UnsafeMutableRawBufferPointer(rebasing: $0[..<count])) }
  }

  /// Returns the text and leaves the buffer empty.
  mutating func take() -> [UInt8] {
    var text: [UInt8] = []
    swap(&text, &memory)
    text.removeLast(text.count - count)
    count = 0
    return text
  }
}
