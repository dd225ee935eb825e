package import InitJSON

/// Runs initializers again, in a pass of their phase after the one in flight: all or none (S26).
///
/// The answer doesn't wait for the passes.
package struct RerunRequest: ClientRequest, Shape {
  package static let method = "rerun"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// The initializers that run again, without duplicates.
  package var initializers: [String]
  /// Whether the direct and indirect dependents also run again.
  package var withDependents: Bool

  /// Creates a request to run initializers again.
  package init(initializers: [String], withDependents: Bool = false) {
    self.initializers = initializers
    self.withDependents = withDependents
  }

  package init() { self.init(initializers: []) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var list = NameList(initializers)
    try json.required("initializers", &list)
    initializers = list.names
    try json.optional("withDependents", &withDependents)
  }

  /// The result of `rerun`.
  package struct Result: Sendable, Shape {
    /// The passes in which the initializers run again, in the order of the phases.
    package var passes: [Int] = []

    package init() {}

    /// Creates the answer to `rerun`.
    package init(passes: [Int]) { self.passes = passes }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("passes", &passes)
    }
  }
}
