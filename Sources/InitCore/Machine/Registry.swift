/// The initializers, in the order of registration.
///
/// An index changes only if an initializer with a smaller index is removed. The initializers of the program and its manifest come first and
/// are never removed, so their indexes don't change.
struct Registry: Hashable, Sendable {
  private var numbers: [String: InitializerIndex] = [:]
  /// The records, by index.
  private(set) var entries: [Entry] = []

  /// The number of initializers.
  var count: Int { entries.count }

  /// All indexes.
  var indexes: [InitializerIndex] { entries.indices.map { InitializerIndex($0) } }

  /// Returns the record at an index.
  subscript(index: InitializerIndex) -> Entry {
    _read { yield entries[index.rawValue] }
    _modify { yield &entries[index.rawValue] }
  }

  func name(at index: InitializerIndex) -> String { entries[index.rawValue].declaration.name }

  mutating func reserveCapacity(_ count: Int) {
    numbers.reserveCapacity(count)
    entries.reserveCapacity(count)
  }

  /// Returns the index of a name; `nil` if it isn't registered.
  func index(of name: String) -> InitializerIndex? { numbers[name] }

  /// Returns the index of a name.
  ///
  /// `index` is the earlier index of the initializer; the name is looked up only if the index has changed.
  func index(of name: String, formerly index: InitializerIndex?) -> InitializerIndex? {
    if let index, index.rawValue < count, self.name(at: index) == name { return index }
    return self.index(of: name)
  }

  /// The record of a name.
  ///
  /// An entry can be changed here, but not added or removed.
  subscript(name: String) -> Entry? {
    get { index(of: name).map { self[$0] } }
    set { if let newValue, let index = index(of: name) { self[index] = newValue } }
  }

  /// Registers a name, unless it is registered.
  mutating func add(_ entry: Entry) -> Bool {
    let number = InitializerIndex(count)
    let name = entry.declaration.name
    guard numbers[name] == nil else { return false }
    numbers[name] = number
    entries.append(entry)
    return true
  }

  /// Removes names.
  mutating func remove(_ gone: Set<String>) {
    entries.removeAll { gone.contains($0.declaration.name) }
    numbers = [:]
    for index in indexes { numbers[name(at: index)] = index }
  }
}
