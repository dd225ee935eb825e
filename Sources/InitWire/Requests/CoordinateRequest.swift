package import InitJSON

/// Makes this connection the coordinator: it decides where initializers marked `once` run.
package struct CoordinateRequest: ClientRequest, MemberlessShape {
  package static let method = "coordinate"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// Creates the request.
  package init() {}

  /// The result of `coordinate`.
  package struct Result: Sendable, Shape {
    /// An initializer that is marked `once`.
    package struct Once: Sendable, Shape {
      package var initializer = ""
      /// The release of an initializer that runs once for it.
      package var release = ""

      /// Describes an initializer and its release.
      package init(initializer: String, release: String) {
        self.initializer = initializer
        self.release = release
      }
      package init() {}
      package mutating func visit(_ json: inout Members) throws(ShapeFault) {
        try json.required("initializer", &initializer)
        try json.required("release", &release)
      }
    }

    /// The maximum time for a run to stop before it is killed, in seconds (S13).
    ///
    /// A lease must be longer.
    package var cancelGrace = 0.0
    /// The initializers that are marked `once`, in order.
    package var once: [Once] = []

    package init() {}

    /// Creates the answer to `coordinate`.
    package init(cancelGrace: Double, once: [Once]) {
      self.cancelGrace = cancelGrace
      self.once = once
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("cancelGrace", &cancelGrace)
      try json.required("once", &once)
    }
  }
}
