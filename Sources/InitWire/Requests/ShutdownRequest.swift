package import InitJSON

/// Ends the supervisor (S24).
///
/// The answer comes before the shutdown has finished.
package struct ShutdownRequest: ClientRequest, MemberlessShape {
  package static let method = "shutdown"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// Creates the request.
  package init() {}

  /// The result of `shutdown`.
  package struct Result: Sendable, Shape {
    /// Whether the supervisor's process ends with it; left out if not, because the process has other work.
    package var exits: Bool?

    package init() {}

    /// Creates the answer to `shutdown`.
    package init(exits: Bool) { self.exits = exits ? true : nil }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.optional("exits", &exits)
    }
  }
}
