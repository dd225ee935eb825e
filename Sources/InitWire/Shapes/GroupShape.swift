package import InitJSON

/// A group of initializers that limits how many of them run at once (protocol §3, S33).
package struct GroupShape: Sendable, Hashable, Shape {
  /// The name.
  package var name = ""
  /// The maximum number of runs at once.
  package var places = 0

  package init() {}

  /// Describes a group.
  package init(_ name: String, places: Int) {
    self.name = name
    self.places = places
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("places", &places)
  }
}

extension [GroupShape] {
  /// Returns the groups with these places, sorted by name; nil if there are none.
  package static func all(_ places: [String: Int]) -> [GroupShape]? {
    places.isEmpty ? nil : places.sorted { $0.key < $1.key }.map { GroupShape($0.key, places: $0.value) }
  }

  /// How many of each may run at once, by name.
  package var places: [String: Int] { Dictionary(map { ($0.name, $0.places) }) { first, _ in first } }
}
