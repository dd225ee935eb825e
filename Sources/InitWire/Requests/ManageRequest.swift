package import InitJSON

/// Makes this connection the manager, which decides when the app is active.
package struct ManageRequest: ClientRequest, MemberlessShape {
  package static let method = "manage"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// Creates the request.
  package init() {}

  /// The result of `manage`.
  package struct Result: Sendable, Shape {
    /// How long a run may take to stop, in seconds; nil from a supervisor that doesn't tell it.
    package var cancelGrace: Double?

    package init() {}

    /// Creates the answer to `manage`.
    package init(cancelGrace: Double) { self.cancelGrace = cancelGrace }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.optional("cancelGrace", &cancelGrace)
    }
  }
}
