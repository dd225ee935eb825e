public import InitJSON

extension Initializer {
  /// Why an initializer was skipped (protocol §3).
  public struct Skip: Sendable, Hashable, Shape {
    /// The reason in the protocol's words.
    public var reason: Word<SkippedReason> = .unknown("")
    /// The reason for people, as it follows "skipped: ".
    public var message = ""

    /// Creates an empty value, to be filled by reading.
    public init() {}

    package init(_ reason: SkippedReason, message: String) {
      self.reason = .known(reason)
      self.message = message
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      message = json.detail.cut(message)
      try json.required("reason", &reason)
      try json.required("message", &message)
    }
  }
}
