internal import InitLocks
internal import InitModel

/// The places of initializers in a Status, by their names.
///
/// The dictionary is made for the first question: if everything is complete, `initctl status` asks none.
final class NamePlaces: Sendable {
  private let initializers: [Initializer]
  private let index = Locked<[String: Int]?>(nil)

  init(_ initializers: [Initializer]) { self.initializers = initializers }

  /// Returns the position of the first initializer with this name; nil if there is none.
  subscript(name: String) -> Int? {
    index.withLock { index in
      if let index { return index[name] }
      // Uses positions, because an initializer has many members, and copying all of them takes time.
      let all = initializers.indices.lazy.map { (self.initializers[$0].name, $0) }
      let made = Dictionary(all) { first, _ in first }
      index = made
      return made[name]
    }
  }
}
