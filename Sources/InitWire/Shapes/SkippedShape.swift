package import InitJSON

/// Why an initializer was skipped (protocol §3).
package struct SkippedShape: Sendable, Hashable, Shape {
  /// The reason in the protocol's words.
  package var reason: Word<SkippedReason> = .unknown("")
  /// The reason for people, as it follows "skipped: ".
  package var message = ""

  package init() {}

  /// Creates a reason.
  package init(_ reason: SkippedReason, message: String) {
    self.reason = .known(reason)
    self.message = message
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    message = json.detail.cut(message)
    try json.required("reason", &reason)
    try json.required("message", &message)
  }
}
