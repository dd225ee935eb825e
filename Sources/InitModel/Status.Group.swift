public import InitJSON

extension Status {
  /// A group of initializers that limits how many of them run at once (protocol §3, S33).
  public struct Group: Sendable, Hashable, Shape {
    /// The name.
    public var name = ""
    /// The maximum number of runs at once.
    public var places = 0

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes a group.
    package init(_ name: String, places: Int) {
      self.name = name
      self.places = places
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.required("places", &places)
    }
  }
}

extension [Status.Group] {
  /// Returns the groups with these places, sorted by name; nil if there are none.
  package static func all(_ places: [String: Int]) -> [Status.Group]? {
    places.isEmpty ? nil : places.sorted { $0.key < $1.key }.map { Status.Group($0.key, places: $0.value) }
  }

  /// How many of each may run at once, by name.
  public var places: [String: Int] { Dictionary(map { ($0.name, $0.places) }) { first, _ in first } }
}
