import OrderedCollections

/// The initializers, numbered in the order of registration.
///
/// A number changes only if an initializer with a smaller number is removed. Those of the program and its manifest come first and are never
/// removed, so their numbers don't change.
struct Registry: Hashable, Sendable {
  /// The names.
  private(set) var names: OrderedSet<String> = []
  /// The records, by number.
  var entries: [Entry] = []

  /// How many there are.
  var count: Int { entries.count }

  mutating func reserveCapacity(_ count: Int) {
    names.reserveCapacity(count)
    entries.reserveCapacity(count)
  }

  /// The number of a name; `nil` if it isn't registered.
  func number(of name: String) -> Int? { names.firstIndex(of: name) }

  /// The number of a name.
  ///
  /// - Parameter number: its number earlier; the name is looked up only if that has changed.
  func number(of name: String, formerly number: Int?) -> Int? {
    if let number, number < names.count, names[number] == name { return number }
    return names.firstIndex(of: name)
  }

  /// The record of a name; it can be changed, but not added or removed.
  subscript(name: String) -> Entry? {
    get { number(of: name).map { entries[$0] } }
    set { if let newValue, let number = number(of: name) { entries[number] = newValue } }
  }

  /// Registers a name, unless it is registered.
  mutating func add(_ entry: Entry) -> Bool {
    let isNew = names.append(entry.declaration.name).inserted
    if isNew { entries.append(entry) }
    return isNew
  }

  /// Removes names.
  mutating func remove(_ gone: Set<String>) {
    entries.removeAll { gone.contains($0.declaration.name) }
    names.removeAll { gone.contains($0) }
  }
}
