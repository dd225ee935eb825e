package import InitJSON

/// The first message of a client (protocol §2).
package struct HelloRequest: ClientRequest, Shape {
  package static let method = "hello"
  package static let roles: [Role] = [.observe]
  package static let since = "0.1.0"

  /// The version that this module implements (protocol.md, version 1).
  package static let version = 1

  /// `protocol`: the client's version.
  package var protocolVersion: Int
  /// The client's program.
  package var client: HelloRequest.Program

  /// Creates the hello of a client with this module's version.
  package init(client: HelloRequest.Program) {
    protocolVersion = Self.version
    self.client = client
  }

  package init() { self.init(client: HelloRequest.Program()) }

  /// Reads the version first, because another version may have other members.
  ///
  /// - Throws: −32001 for another version; −32602 with the path of the invalid member.
  package init(params: RawJSON?) throws(WireError) {
    if let version = params?["protocol"]?.integer.flatMap(Int.init(exactly:)), version != Self.version {
      throw .unsupportedProtocol(version, supported: [Self.version])
    }
    self = try Self.read(params: params)
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("protocol", &protocolVersion)
    try json.required("client", &client)
  }

  /// A program and its version: `client` and `server` of `hello` (protocol §2).
  package struct Program: Sendable, Shape {
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

  /// The result of `hello` (protocol §2).
  package struct Result: Sendable, Shape {
    /// `limits`: the supervisor's limits.
    package struct Limits: Shape {
      /// The maximum payload in bytes that the supervisor accepts.
      package var frameBytes: Int

      /// Creates the limits of a supervisor.
      package init(frameBytes: Int) { self.frameBytes = frameBytes }
      package init() { self.init(frameBytes: 0) }
      package mutating func visit(_ json: inout Members) throws(ShapeFault) {
        try json.required("frameBytes", &frameBytes)
      }
    }

    /// `protocol`: the version that both sides use.
    package var protocolVersion = 0
    /// The supervisor's program.
    package var server = HelloRequest.Program()
    /// Identifies one execution of a supervisor: different after every start.
    package var instance = ""
    /// The supervisor's process id.
    package var pid = 0
    /// The supervisor's limits.
    package var limits = Limits()
    /// The key of the hashes in the Status' `sources`; nil for a client without the role control, who could guess secrets with it.
    package var sourceKey: String?

    package init() {}

    /// Creates the answer to `hello`.
    package init(protocolVersion: Int, server: HelloRequest.Program, instance: String, pid: Int, limits: Limits) {
      self.protocolVersion = protocolVersion
      self.server = server
      self.instance = instance
      self.pid = pid
      self.limits = limits
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("protocol", &protocolVersion)
      try json.required("server", &server)
      try json.required("instance", &instance)
      try json.required("pid", &pid)
      try json.required("limits", &limits)
      try json.optional("sourceKey", &sourceKey)
    }
  }
}
