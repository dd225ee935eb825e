internal import AppInitializers
package import InitWire

/// What a command or a worker handed over, among the values of Swift objects.
package struct RemoteOutput: EncodedOutput {
  /// The value as JSON.
  package let output: RunOutput

  /// A value that another process handed over.
  package init(output: RunOutput) { self.output = output }

  package var isSecret: Bool { output.isSecret }
  package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try output.value.decode(type) }
}

extension RunOutput {
  /// A value that was handed over in whatever form, for another process; nil for one that is for Swift alone, as it isn't `Encodable`.
  ///
  /// - Parameter limit: how many bytes it may be.
  /// - Throws: why it can't be handed on, or what its own encoding threw.
  package init?(passingOn value: any Sendable, limit: Int = .max) throws {
    switch value {
    case let remote as RemoteOutput: self = remote.output
    case let secret as any AnySecret:
      guard let hidden = secret.hidden as? any Encodable else { return nil }
      try self.init(encoding: hidden, isSecret: true, limit: limit)
    case let value as any Encodable: try self.init(encoding: value, limit: limit)
    default: return nil
    }
  }

  /// How much of it a log shows, in bytes.
  private static let shown = 200

  /// A line of log about a value that was handed over.
  package static func inLog(_ value: any Sendable) -> String {
    switch value {
    case let remote as RemoteOutput where !remote.isSecret:
      let bytes = remote.output.value.bytes
      return String(decoding: bytes.prefix(shown), as: UTF8.self) + (bytes.count > shown ? "…" : "")
    case is RemoteOutput, is any AnySecret: return "a secret"
    default: return "a \(type(of: value))"
    }
  }
}
