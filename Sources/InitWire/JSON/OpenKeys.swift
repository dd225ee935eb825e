/// The keys of the open objects, to detect duplicates.
///
/// Most objects have few keys: these are compared one by one, without an allocation per key. From `fewKeys` on, they are kept in a set
/// with a seeded hash, so that a peer can't choose keys that collide. Keys are compared as bytes, because `String` treats canonically
/// equivalent keys as equal, and JSON doesn't.
struct OpenKeys {
  private struct Key {
    private let start: UInt32
    private let end: UInt32
    private let isEscaped: Bool
    /// The length and the first bytes of the unescaped key, which differ for nearly all keys.
    private let signature: UInt64

    @inline(__always)
    init(_ text: Range<Int>, isEscaped: Bool, of bytes: UnsafeBufferPointer<UInt8>) {
      (start, end, self.isEscaped) = (UInt32(text.lowerBound), UInt32(text.upperBound), isEscaped)
      signature =
        isEscaped
        ? StrictJSON.unescape(bytes[text]).withUnsafeBufferPointer { Self.signature($0[...]) }
        : Self.signature(bytes[text])
    }

    private static func signature(_ key: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64 {
      let (bytes, start) = (key.base, key.startIndex)
      var first: UInt64 = 0
      if start + 8 <= bytes.count {
        first = UInt64(littleEndian: UnsafeRawPointer(bytes.baseAddress! + start).loadUnaligned(as: UInt64.self))
        // What follows the key doesn't count, and the length takes the place of the eighth byte.
        first &= (1 << (8 * UInt64(min(key.count, 7)))) - 1
      } else {
        for (place, byte) in key.prefix(7).enumerated() { first |= UInt64(byte) << (8 * UInt64(place)) }
      }
      return first | UInt64(truncatingIfNeeded: key.count) << 56
    }

    /// One bit of 64, the same for equal keys.
    var bit: UInt64 { 1 << ((signature &* 0x9E37_79B9_7F4A_7C15) >> 58) }

    /// The text between the quotes.
    private var text: Range<Int> { Int(start)..<Int(end) }

    func isEqual(to other: Key, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      guard signature == other.signature else { return false }
      if !isEscaped, !other.isEscaped { return bytes[text].elementsEqual(bytes[other.text]) }
      return meaning(of: bytes).elementsEqual(other.meaning(of: bytes))
    }

    /// The unescaped key.
    func meaning(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
      isEscaped ? StrictJSON.unescape(bytes[text]) : Array(bytes[text])
    }
  }

  /// Up to how many keys of an object are compared one by one.
  private static let fewKeys = 16

  /// The keys of all open objects with few keys, outermost first.
  private var keys: [Key] = []
  /// Per open object: the index of its first key, and a set of its keys if there are many.
  private var objects: [(firstKey: Int, many: Set<KeyText>?)] = []
  /// The index of the first key of the innermost object, unless it has many.
  private var firstKey: Int?
  /// The bits of all keys that were added since the innermost object began: a key whose bit is missing is new.
  private var bits: UInt64 = 0

  init() {
    // A message has a few keys and objects: arrays that grow would be allocated several times.
    keys.reserveCapacity(8)
    objects.reserveCapacity(4)
  }

  /// An object begins.
  mutating func openObject() {
    objects.append((keys.count, nil))
    (firstKey, bits) = (keys.count, 0)
  }

  /// The innermost object ends.
  mutating func closeObject() {
    let ended = objects.removeLast()
    keys.removeLast(keys.count - ended.firstKey)
    firstKey = objects.last.flatMap { $0.many == nil ? $0.firstKey : nil }
    // Those of the object around it aren't known any more.
    bits = .max
  }

  /// Adds a key to the innermost object; returns false if it is a duplicate.
  @inline(__always)
  mutating func insert(_ text: Range<Int>, isEscaped: Bool, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let key = Key(text, isEscaped: isEscaped, of: bytes)
    guard let firstKey else {
      return objects[objects.count - 1].many!.insert(KeyText(bytes: key.meaning(of: bytes))).inserted
    }
    if bits & key.bit != 0 {
      for place in firstKey..<keys.count where key.isEqual(to: keys[place], of: bytes) { return false }
    }
    bits |= key.bit
    keys.append(key)
    if keys.count - firstKey > Self.fewKeys {
      objects[objects.count - 1].many = Set(keys[firstKey...].map { KeyText(bytes: $0.meaning(of: bytes)) })
      self.firstKey = nil
    }
    return true
  }
}

/// A key's bytes after unescaping, hashed and compared as bytes.
private struct KeyText: Hashable {
  let bytes: [UInt8]

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
