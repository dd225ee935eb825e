/// Params of `hello` (protocol §2).
public struct HelloParams: Encodable, Sendable, Equatable {
  /// The version that this module speaks (protocol.md, version 1).
  public static let version = 1

  /// `protocol`: the version that the client speaks.
  public var protocolVersion: Int
  /// Which program the client is.
  public var client: ProgramShape

  private enum CodingKeys: String, CodingKey {
    case protocolVersion = "protocol"
    case client
  }

  /// The greeting of a client that speaks this module's version.
  public init(client: ProgramShape) {
    protocolVersion = Self.version
    self.client = client
  }

  /// Reads the params. The version comes first: another one may have other members.
  ///
  /// - Throws: −32001 for another version, −32602 for wrong or missing members.
  init(_ params: ParamsReader) throws(WireError) {
    let version = try params.required("protocol").integer()
    guard version == Self.version else { throw .unsupportedProtocol(version, supported: [Self.version]) }
    protocolVersion = version
    let client = try params.required("client").object()
    self.client = ProgramShape(
      name: try client.required("name").string(), version: try client.required("version").string())
  }
}

/// A program and its version: `client` and `server` of `hello` (protocol §2).
public struct ProgramShape: Codable, Sendable, Equatable {
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
