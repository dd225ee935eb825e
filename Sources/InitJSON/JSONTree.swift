/// Checked JSON text, and the position of each of its values: the result of `StrictJSON`.
///
/// The nodes are in the order of the text. A value's members or elements follow it, and each node has the index of the next one.
final class JSONTree: Sendable {
  /// A member's name, as written between its quotes.
  struct Key {
    let start: UInt32
    let end: UInt32
    let isEscaped: Bool

    /// An element of an array, or the outermost value.
    static let none = Key(from: 0, to: 0, isEscaped: false)

    init(from start: Int, to end: Int, isEscaped: Bool) {
      // The scanner accepts only texts whose size fits.
      self.start = UInt32(truncatingIfNeeded: start)
      self.end = UInt32(truncatingIfNeeded: end)
      self.isEscaped = isEscaped
    }

    var range: Range<Int> { Int(start)..<Int(end) }
  }

  /// One value.
  struct Node {
    let kind: StrictJSON.Kind
    /// Whether the node is a string with escapes.
    let isEscaped: Bool
    let key: Key
    private let start: UInt32
    private var end: UInt32
    private var nextNode: UInt32

    init(kind: StrictJSON.Kind, isEscaped: Bool, key: Key, from start: Int, to end: Int, next: Int) {
      self.kind = kind
      self.isEscaped = isEscaped
      self.key = key
      self.start = UInt32(truncatingIfNeeded: start)
      self.end = UInt32(truncatingIfNeeded: end)
      nextNode = UInt32(truncatingIfNeeded: next)
    }

    /// The bytes of the value.
    var range: Range<Int> { Int(start)..<Int(end) }
    /// The contents of a string between its quotes.
    var content: Key { Key(from: Int(start) + 1, to: Int(end) - 1, isEscaped: isEscaped) }
    /// The index of the node after the value and its contents.
    var next: Int { Int(nextNode) }

    /// Records that its closing brace or bracket has been found.
    mutating func end(at end: Int, next: Int) {
      self.end = UInt32(truncatingIfNeeded: end)
      nextNode = UInt32(truncatingIfNeeded: next)
    }
  }

  let text: [UInt8]
  /// The first node is the outermost value.
  let nodes: [Node]

  /// Checks a text.
  ///
  /// - Throws: the first fault of the text.
  init(checking text: [UInt8], asObject: Bool) throws(StrictJSON.Fault) {
    self.text = text
    nodes = try StrictJSON.Scanner.scan(text, asObject: asObject)
  }

  /// Returns the node of the member with this name: the node at a guessed position, or else one of a range that begins and ends between two
  /// members.
  func member(_ name: UnsafeBufferPointer<UInt8>, at guess: Int, or range: Range<Int>) -> Int? {
    nodes.withUnsafeBufferPointer { nodes in
      if guess < range.upperBound, matches(nodes[guess].key, name) { return guess }
      var index = range.lowerBound
      while index < range.upperBound {
        if matches(nodes[index].key, name) { return index }
        index = nodes[index].next
      }
      return nil
    }
  }

  /// Gives `body` a part of the text.
  @inline(__always)
  func withText<Result>(of range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    text.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  /// Unescapes a text between quotes.
  func string(_ quoted: Key) -> String {
    if quoted.isEscaped { return String(decoding: unescaped(quoted.range), as: UTF8.self) }
    return withText(of: quoted.range) { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns whether a text between quotes is this name.
  @inline(__always)
  func matches(_ key: Key, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    if key.isEscaped { return unescaped(key.range).elementsEqual(name) }
    guard Int(key.end - key.start) == name.count else { return false }
    return text.withUnsafeBytes { ($0.baseAddress! + Int(key.start)).isEqual(to: name.baseAddress!, count: name.count) }
  }

  @inline(never)
  private func unescaped(_ range: Range<Int>) -> [UInt8] { StrictJSON.unescape(text[range]) }
}

extension UnsafeRawPointer {
  /// Returns whether two positions have the same bytes; they are short.
  @inline(__always)
  func isEqual(to other: UnsafeRawPointer, count: Int) -> Bool {
    var offset = 0
    while offset + 8 <= count {
      guard
        loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    while offset < count {
      guard load(fromByteOffset: offset, as: UInt8.self) == other.load(fromByteOffset: offset, as: UInt8.self) else {
        return false
      }
      offset += 1
    }
    return true
  }
}
