/// Params of `hello` (protocol §2).
public struct HelloParams: Sendable, Equatable {
  /// The version that this module speaks (protocol.md, version 1).
  public static let version = 1

  /// `protocol`: the version that the client speaks.
  public var protocolVersion: Int
  /// Which program the client is.
  public var client: ProgramShape

  /// The greeting of a client that speaks this module's version.
  public init(client: ProgramShape) {
    protocolVersion = Self.version
    self.client = client
  }
}

/// A program and its version: `client` and `server` of `hello` (protocol §2).
public struct ProgramShape: Sendable, Equatable {
  /// What it calls itself.
  public var name: String
  /// Its own version.
  public var version: String

  /// A program and its version.
  public init(name: String, version: String) {
    self.name = name
    self.version = version
  }
}

extension HelloParams: Shape {
  /// A blank, to read into.
  package init() { self.init(client: ProgramShape()) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("protocol", &protocolVersion)
    try json.required("client", &client)
  }
}

extension ProgramShape: Shape {
  /// A blank, to read into.
  package init() { self.init(name: "", version: "") }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("version", &version)
  }
}
