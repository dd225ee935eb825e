package import InitJSON

/// Makes the app inactive and ends all holds (S11, S23).
package struct DeactivateRequest: ClientRequest, Shape {
  package static let method = "deactivate"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// Whether the answer waits until no run of an active pass is stopping.
  package var wait: Bool

  /// Creates a deactivation.
  package init(wait: Bool = false) { self.wait = wait }

  package init() { self.init(wait: false) }

  package var isWait: Bool { wait }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("wait", &wait)
  }

  /// The result of `deactivate` and `cancelRun`.
  package struct Result: Sendable, Shape {
    /// The initializers whose runs the request cancelled, or that it cancelled between two attempts.
    package var cancelled: [String] = []

    package init() {}

    /// Creates the answer to `deactivate` or `cancelRun`.
    package init(cancelled: [String]) { self.cancelled = cancelled }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("cancelled", &cancelled)
    }
  }
}
