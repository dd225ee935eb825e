package import InitJSON

/// Cancels the runs of initializers, and ends the delays of those between two attempts: all or none (S34).
///
/// The answer comes once the runs have stopped.
package struct CancelRunRequest: ClientRequest, Shape {
  package static let method = "cancelRun"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// The initializers whose runs are cancelled, without duplicates.
  package var initializers: [String]

  /// Creates a request to cancel runs.
  package init(initializers: [String]) { self.initializers = initializers }

  package init() { self.init(initializers: []) }

  package var isWait: Bool { true }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var list = NameList(initializers)
    try json.required("initializers", &list)
    initializers = list.names
  }

  package typealias Result = DeactivateRequest.Result
}
