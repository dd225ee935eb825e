internal import Glibc

/// Splits a stream of bytes into lines.
///
/// A line longer than the limit is split between two characters, so memory stays bounded.
struct LineSplitter {
  private var rest: [UInt8] = []
  private let limit: Int

  /// - Parameter limit: the maximum number of bytes in a line, at least 1.
  init(limit: Int) { self.limit = limit }

  /// Adds bytes, and reports each line that they complete, without its newline.
  mutating func append(_ bytes: UnsafeRawBufferPointer, line: ([UInt8]) -> Void) {
    var bytes = bytes[...]
    while let newline = bytes.firstNewline {
      add(bytes[..<newline], line)
      if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
      line(rest)
      rest.removeAll(keepingCapacity: true)
      bytes = bytes[(newline + 1)...]
    }
    add(bytes, line)
  }

  /// Reports the remaining bytes as the last line, because the stream has ended.
  mutating func finish(line: ([UInt8]) -> Void) {
    guard !rest.isEmpty else { return }
    line(rest)
    rest = []
  }

  private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>, _ line: ([UInt8]) -> Void) {
    var bytes = bytes
    while rest.count + bytes.count > limit {
      let room = limit - rest.count
      rest.append(contentsOf: bytes.prefix(room))
      bytes = bytes.dropFirst(room)
      let begun = beginOfCharacter(before: bytes.first)
      line(Array(rest[..<begun]))
      rest.removeFirst(begun)
    }
    rest.append(contentsOf: bytes)
  }

  /// Returns the start of the last character of `rest`, if `rest` ends within it and `next` continues it; otherwise the end of `rest`.
  ///
  /// The result is never the start of `rest`.
  private func beginOfCharacter(before next: UInt8?) -> Int {
    func goesOn(_ byte: UInt8) -> Bool { byte & 0b1100_0000 == 0b1000_0000 }
    guard let next, goesOn(next), let lead = rest.indices.suffix(3).last(where: { !goesOn(rest[$0]) }), lead > 0,
      rest[lead] >= 0b1100_0000
    else { return rest.count }
    return lead
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// Where the first newline is.
  fileprivate var firstNewline: Int? {
    guard let start = base.baseAddress.map({ $0 + startIndex }), let found = memchr(start, 10, count) else {
      return nil
    }
    return startIndex + (UnsafeRawPointer(found) - start)
  }
}
