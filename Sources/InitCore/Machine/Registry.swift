internal import OrderedCollections

/// The initializers, in the order of registration.
///
/// An index changes only if an initializer with a smaller index is removed. The initializers of the program and its manifest come first and
/// are never removed, so their indexes don't change.
struct Registry: Hashable, Sendable {
  private var byName: OrderedDictionary<String, Entry> = [:]

  /// The records, by index.
  var entries: OrderedDictionary<String, Entry>.Values { byName.values }

  /// The number of initializers.
  var count: Int { byName.count }

  var indexes: some RandomAccessCollection<InitializerIndex> { (0..<count).lazy.map { InitializerIndex($0) } }

  /// Returns the record at an index.
  subscript(index: InitializerIndex) -> Entry {
    get { byName.values[index.rawValue] }
    _modify { yield &byName.values[index.rawValue] }
  }

  func name(at index: InitializerIndex) -> String { byName.keys[index.rawValue] }

  mutating func reserveCapacity(_ count: Int) { byName.reserveCapacity(count) }

  /// Returns the index of a name; `nil` if it isn't registered.
  func index(of name: String) -> InitializerIndex? { byName.index(forKey: name).map { InitializerIndex($0) } }

  /// Returns the index of a name.
  ///
  /// `index` is the earlier index of the initializer; the name is looked up only if the index has changed.
  func index(of name: String, formerly index: InitializerIndex?) -> InitializerIndex? {
    if let index, index.rawValue < count, self.name(at: index) == name { return index }
    return self.index(of: name)
  }

  /// Accesses the record of a name.
  ///
  /// An entry can be changed here, but not added or removed.
  subscript(name: String) -> Entry? {
    get { byName[name] }
    set { if let newValue, let index = index(of: name) { self[index] = newValue } }
  }

  /// Registers a name, unless it is registered.
  mutating func add(_ entry: Entry) -> Bool {
    let name = entry.declaration.name
    guard byName[name] == nil else { return false }
    byName[name] = entry
    return true
  }

  /// Removes names.
  mutating func remove(_ gone: Set<String>) { byName.removeAll { gone.contains($0.key) } }
}
