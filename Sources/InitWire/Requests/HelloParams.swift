/// Params of `hello` (protocol §2).
public struct HelloParams: Sendable, Shape {
  /// The version that this module implements (protocol.md, version 1).
  public static let version = 1

  /// `protocol`: the client's version.
  public var protocolVersion: Int
  /// The client's program.
  public var client: ProgramShape

  /// The hello of a client with this module's version.
  public init(client: ProgramShape) {
    protocolVersion = Self.version
    self.client = client
  }

  package init() { self.init(client: ProgramShape()) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("protocol", &protocolVersion)
    try json.required("client", &client)
  }
}

/// A program and its version: `client` and `server` of `hello` (protocol §2).
public struct ProgramShape: Sendable, Shape {
  /// Its name.
  public var name: String
  /// Its own version.
  public var version: String

  /// A program and its version.
  public init(name: String, version: String) {
    self.name = name
    self.version = version
  }

  package init() { self.init(name: "", version: "") }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("version", &version)
  }
}
