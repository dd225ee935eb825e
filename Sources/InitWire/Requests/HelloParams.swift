package import InitJSON

/// Params of `hello` (protocol §2).
package struct HelloParams: Sendable, Shape {
  /// The version that this module implements (protocol.md, version 1).
  package static let version = 1

  /// `protocol`: the client's version.
  package var protocolVersion: Int
  /// The client's program.
  package var client: HelloParams.Program

  /// Creates the hello of a client with this module's version.
  package init(client: HelloParams.Program) {
    protocolVersion = Self.version
    self.client = client
  }

  package init() { self.init(client: HelloParams.Program()) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("protocol", &protocolVersion)
    try json.required("client", &client)
  }
}

extension HelloParams {
  /// A program and its version: `client` and `server` of `hello` (protocol §2).
  package struct Program: Sendable, Shape {
    /// The name.
    package var name: String
    /// The program's version.
    package var version: String

    /// Describes a program and its version.
    package init(name: String, version: String) {
      self.name = name
      self.version = version
    }

    package init() { self.init(name: "", version: "") }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.required("version", &version)
    }
  }
}
