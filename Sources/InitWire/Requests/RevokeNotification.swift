package import InitJSON

/// Tells the supervisor that a claim is lost, so its run must stop.
package struct RevokeNotification: Notification, Shape {
  package static let method = "revoke"

  package var run = 0
  /// The reason, for people.
  package var message: String?

  package init() {}

  /// Reports a lost claim.
  package init(run: Int, message: String?) {
    self.run = run
    self.message = message
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.optional("message", &message)
  }
}
