extension StrictJSON {
  /// The keys of the objects that are open, to find one that stands twice.
  ///
  /// Nearly every object has few keys: those are compared one by one, without taking memory for each. From
  /// `fewKeys` on they go into a set, whose hash is seeded by the process, so that nobody can choose keys that collide.
  /// Keys are compared as bytes: `String` takes canonically equivalent ones for equal, and JSON does not.
  struct OpenKeys {
    private struct Key {
      /// The text between the quotes.
      let text: Range<Int>
      /// What it means, where it has escapes.
      let unescaped: [UInt8]?
    }

    /// How many keys of one object are compared one by one.
    private static let fewKeys = 16

    /// The keys of all open objects that have few, outermost first.
    private var keys: [Key] = []
    /// For each open object: where its keys begin, and all of them, once they are many.
    private var objects: [(firstKey: Int, many: Set<KeyText>?)] = []

    /// An object begins.
    mutating func openObject() {
      objects.append((keys.count, nil))
    }

    /// The innermost object ends.
    mutating func closeObject() {
      keys.removeSubrange(objects.removeLast().firstKey...)
    }

    /// Adds a key to the innermost object; false if that already has it.
    mutating func insert(_ text: Range<Int>, isEscaped: Bool, of bytes: [UInt8]) -> Bool {
      let key = Key(text: text, unescaped: isEscaped ? unescape(bytes, text) : nil)
      let object = objects.count - 1
      if objects[object].many != nil {
        return objects[object].many!.insert(KeyText(bytes: slice(key, of: bytes))).inserted
      }
      let earlier = keys[objects[object].firstKey...]
      for other in earlier where areEqual(key, other, of: bytes) { return false }
      if earlier.count < Self.fewKeys {
        keys.append(key)
      } else {
        var many = Set(earlier.map { KeyText(bytes: slice($0, of: bytes)) })
        many.insert(KeyText(bytes: slice(key, of: bytes)))
        objects[object].many = many
      }
      return true
    }

    private func areEqual(_ one: Key, _ other: Key, of bytes: [UInt8]) -> Bool {
      if one.unescaped == nil, other.unescaped == nil {
        guard one.text.count == other.text.count else { return false }
        for offset in 0..<one.text.count
        where bytes[one.text.lowerBound + offset] != bytes[other.text.lowerBound + offset] { return false }
        return true
      }
      return slice(one, of: bytes).elementsEqual(slice(other, of: bytes))
    }

    private func slice(_ key: Key, of bytes: [UInt8]) -> ArraySlice<UInt8> {
      key.unescaped?[...] ?? bytes[key.text]
    }
  }

  /// A key's bytes after unescaping, hashed and compared as bytes.
  private struct KeyText: Hashable {
    let bytes: ArraySlice<UInt8>

    static func == (one: KeyText, other: KeyText) -> Bool { one.bytes.elementsEqual(other.bytes) }

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
}
