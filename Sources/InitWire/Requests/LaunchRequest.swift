package import InitJSON
package import InitModel

/// Starts launch, retries a failed one, or joins a running one (S9, S10).
///
/// The answer doesn't wait for the pass.
package struct LaunchRequest: ClientRequest, MemberlessShape {
  package static let method = "launch"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// Creates the request.
  package init() {}

  /// The result of `launch`.
  package struct Result: Sendable, Shape {
    /// The pass that `launch` started or joined, or the last launch pass.
    package var pass = 0
    /// The launch state after the request.
    package var launch = Status.State()

    package init() {}

    /// Creates the answer to `launch`.
    package init(pass: Int, launch: Status.State) {
      self.pass = pass
      self.launch = launch
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("pass", &pass)
      try json.required("launch", &launch)
    }
  }
}
