extension StrictJSON {
  /// The keys of the open objects, to detect duplicates.
  ///
  /// Most objects have few keys: these are compared one by one, without an allocation per key. From `fewKeys` on, they are kept in a set
  /// with a seeded hash, so that a peer can't choose keys that collide. Keys are compared as bytes, because `String` treats canonically
  /// equivalent keys as equal, and JSON doesn't.
  struct OpenKeys {
    private struct Key {
      /// The text between the quotes.
      let text: Range<Int>
      /// The unescaped key, if it has escapes.
      let unescaped: [UInt8]?
      /// The length and the first bytes of the unescaped key, which differ for nearly all keys.
      let signature: UInt64

      init(_ text: Range<Int>, isEscaped: Bool, of bytes: UnsafeBufferPointer<UInt8>) {
        self.text = text
        unescaped = isEscaped ? unescape(bytes[text]) : nil
        signature = unescaped.map(Self.signature) ?? Self.signature(bytes[text])
      }

      private static func signature(_ bytes: some RandomAccessCollection<UInt8>) -> UInt64 {
        bytes.prefix(7).reduce(UInt64(truncatingIfNeeded: bytes.count)) { $0 << 8 | UInt64($1) }
      }

      func isEqual(to other: Key, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard signature == other.signature else { return false }
        if unescaped == nil, other.unescaped == nil { return bytes[text].elementsEqual(bytes[other.text]) }
        return meaning(of: bytes).elementsEqual(other.meaning(of: bytes))
      }

      func meaning(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] { unescaped ?? Array(bytes[text]) }
    }

    /// Up to how many keys of an object are compared one by one.
    private static let fewKeys = 16

    /// The keys of all open objects with few keys, outermost first.
    private var keys: [Key] = []
    /// Per open object: the index of its first key, and a set of its keys if there are many.
    private var objects: [(firstKey: Int, many: Set<KeyText>?)] = []

    /// An object begins.
    mutating func openObject() {
      objects.append((keys.count, nil))
    }

    /// The innermost object ends.
    mutating func closeObject() {
      keys.removeSubrange(objects.removeLast().firstKey...)
    }

    /// Adds a key to the innermost object; returns false if it is a duplicate.
    mutating func insert(_ text: Range<Int>, isEscaped: Bool, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      let key = Key(text, isEscaped: isEscaped, of: bytes)
      let object = objects.count - 1
      if objects[object].many != nil {
        return objects[object].many!.insert(KeyText(bytes: key.meaning(of: bytes))).inserted
      }
      let first = objects[object].firstKey
      for place in first..<keys.count where key.isEqual(to: keys[place], of: bytes) { return false }
      keys.append(key)
      if keys.count - first > Self.fewKeys {
        objects[object].many = Set(keys[first...].map { KeyText(bytes: $0.meaning(of: bytes)) })
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
}
