internal import InitWire
internal import Synchronization

/// The places of initializers in a Status, by their names.
///
/// The dictionary is made for the first question: if everything is complete, `initctl status` asks none.
final class NamePlaces: Sendable {
  private let initializers: [InitializerShape]
  private let index = Mutex<Index?>(nil)

  /// A type of its own: to destroy an optional dictionary, even an empty one, the runtime searches for a conformance.
  private struct Index {
    let places: [String: Int]
  }

  init(_ initializers: [InitializerShape]) { self.initializers = initializers }

  /// The place of the first initializer with this name; nil if there is none.
  subscript(name: String) -> Int? {
    index.withLock { index in
      if let index { return index.places[name] }
      // By place: an initializer has many members, and copying all of them takes time.
      let all = initializers.indices.lazy.map { (self.initializers[$0].name, $0) }
      let made = Index(places: Dictionary(all) { first, _ in first })
      index = made
      return made.places[name]
    }
  }
}
