/// The keys of the open objects, to detect duplicates.
///
/// Most objects have few keys: a new one is compared with each of them. From `fewKeys` on, they are kept in a set with a seeded hash, so a
/// peer can't choose keys that collide. Keys are compared as bytes, because `String` treats canonically equivalent keys as equal, and JSON
/// doesn't.
struct OpenKeys {
  /// The maximum number of keys of an object that are compared one by one.
  private static let fewKeys = 16

  /// The keys of the open objects that have many, outermost first.
  ///
  /// An object is known by its node.
  private var many: [(object: Int, keys: Set<KeyText>)] = []

  /// Ends an object.
  @inline(__always)
  mutating func close(_ object: Int) {
    if !many.isEmpty, many[many.count - 1].object == object { many.removeLast() }
  }

  /// Adds a key to the innermost object, whose members are the nodes after it; returns false if it is a duplicate.
  @inline(__always)
  mutating func insert(
    _ key: JSONTree.Key, into object: Int, of nodes: [JSONTree.Node], _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    if many.isEmpty || many[many.count - 1].object != object {
      let isNew = nodes.withUnsafeBufferPointer { nodes -> Bool? in
        var index = object + 1
        var count = 0
        while index < nodes.count {
          if key.isEqual(to: nodes[index].key, of: bytes) { return false }
          index = nodes[index].next
          count += 1
        }
        return count < Self.fewKeys ? true : nil
      }
      if let isNew { return isNew }
    }
    return insertAmongMany(key, into: object, of: nodes, bytes)
  }

  @inline(never)
  private mutating func insertAmongMany(
    _ key: JSONTree.Key, into object: Int, of nodes: [JSONTree.Node], _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    if many.last?.object != object {
      var index = object + 1
      var keys = Set<KeyText>()
      while index < nodes.count {
        keys.insert(KeyText(bytes: nodes[index].key.meaning(of: bytes)))
        index = nodes[index].next
      }
      many.append((object, keys))
    }
    return many[many.count - 1].keys.insert(KeyText(bytes: key.meaning(of: bytes))).inserted
  }
}

extension JSONTree.Key {
  /// Returns whether two keys are the same after unescaping.
  @inline(__always)
  fileprivate func isEqual(to other: JSONTree.Key, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !isEscaped, !other.isEscaped else { return meaning(of: bytes).elementsEqual(other.meaning(of: bytes)) }
    guard end - start == other.end - other.start else { return false }
    let text = UnsafeRawPointer(bytes.baseAddress!)
    return (text + Int(start)).isEqual(to: text + Int(other.start), count: Int(end - start))
  }

  /// Returns the unescaped key.
  @inline(never)
  fileprivate func meaning(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    isEscaped ? StrictJSON.unescape(bytes[range]) : Array(bytes[range])
  }
}

/// A key's bytes after unescaping, hashed and compared as bytes.
private struct KeyText: Hashable {
  let bytes: [UInt8]

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
