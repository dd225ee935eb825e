/// The initializers, in the order of registration.
///
/// An index changes only if an initializer with a smaller index is removed. The initializers of the program and its manifest come first and
/// are never removed, so their indexes don't change.
///
/// The names are in a hash table of our own. Each slot has a part of the hash next to the index, so most collisions are noticed without a
/// look at the other name: among a million names, each look is a cache miss.
struct Registry: Sendable {
  /// The names, by index.
  private(set) var names: [String] = []
  /// The records, by index.
  private(set) var entries: [Entry] = []
  /// The table; at least half of its slots are free, which is 0.
  ///
  /// The others have a half of the hash, and the index plus one.
  private var slots: [UInt64] = []

  /// The number of initializers.
  var count: Int { names.count }

  /// The indexes of all.
  var indexes: some RandomAccessCollection<InitializerIndex> { entries.indices.lazy.map { InitializerIndex($0) } }

  /// Returns the record at an index.
  subscript(index: InitializerIndex) -> Entry {
    get { entries[index.rawValue] }
    _modify { yield &entries[index.rawValue] }
  }

  /// Returns the name at an index.
  func name(at index: InitializerIndex) -> String { names[index.rawValue] }

  mutating func reserveCapacity(_ count: Int) {
    names.reserveCapacity(count)
    entries.reserveCapacity(count)
    makeTable(for: count)
  }

  /// Returns the index of a name; `nil` if it isn't registered.
  func index(of name: String) -> InitializerIndex? {
    guard !names.isEmpty else { return nil }
    let slot = slots[slot(of: name, name.hashValue)]
    return slot == 0 ? nil : InitializerIndex(Int(slot & 0xFFFF_FFFF) - 1)
  }

  /// Returns the index of a name.
  ///
  /// `index` is the earlier index of the initializer; the name is looked up only if the index has changed.
  func index(of name: String, formerly index: InitializerIndex?) -> InitializerIndex? {
    if let index, index.rawValue < names.count, names[index.rawValue] == name { return index }
    return self.index(of: name)
  }

  /// Accesses the record of a name.
  ///
  /// An entry can be changed here, but not added or removed.
  subscript(name: String) -> Entry? {
    get { index(of: name).map { self[$0] } }
    set { if let newValue, let index = index(of: name) { self[index] = newValue } }
  }

  /// Registers a name, unless it is registered.
  mutating func add(_ entry: Entry) -> Bool {
    if slots.count < 2 * (count + 1) { makeTable(for: 2 * (count + 1)) }
    let name = entry.declaration.name
    let hash = name.hashValue
    let slot = slot(of: name, hash)
    guard slots[slot] == 0 else { return false }
    names.append(name)
    entries.append(entry)
    slots[slot] = Self.tag(hash) | UInt64(count)
    return true
  }

  /// Removes names.
  mutating func remove(_ gone: Set<String>) {
    entries.removeAll { gone.contains($0.declaration.name) }
    names.removeAll { gone.contains($0) }
    makeTable(for: count)
  }

  /// Returns the slot of a name, or the free one that it gets.
  private func slot(of name: String, _ hash: Int) -> Int {
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      if slots[slot] & ~0xFFFF_FFFF == Self.tag(hash), names[Int(slots[slot] & 0xFFFF_FFFF) - 1] == name { break }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private static func tag(_ hash: Int) -> UInt64 { UInt64(bitPattern: Int64(hash)) & ~0xFFFF_FFFF }

  private mutating func makeTable(for capacity: Int) {
    var size = 8
    while size < 2 * capacity { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
    for (index, name) in names.enumerated() {
      let hash = name.hashValue
      slots[slot(of: name, hash)] = Self.tag(hash) | UInt64(index + 1)
    }
  }
}

extension Registry: Hashable {
  /// Returns whether two registries have the same records in the same order.
  static func == (left: Registry, right: Registry) -> Bool { left.entries == right.entries }

  func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}
