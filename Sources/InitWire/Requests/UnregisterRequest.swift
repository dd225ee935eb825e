package import InitJSON

/// Removes initializers, all or none: those of this connection, or those without a live provider (S21).
package struct UnregisterRequest: ClientRequest, Shape {
  package static let method = "unregister"
  package static let roles: [Role] = [.control, .register]
  package static let since = "0.1.0"

  /// The names to remove, without duplicates.
  package var names: [String]

  /// Creates a request to remove names.
  package init(names: [String]) { self.names = names }

  package init() { self.init(names: []) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var list = NameList(names)
    try json.required("names", &list)
    names = list.names
  }
}
