internal import AppInitializers
internal import InitJSON
internal import InitModel
internal import InitText
package import InitWire

/// The output of a command or a worker, among the outputs of Swift objects.
package struct RemoteOutput: EncodedOutput {
  /// The value as JSON.
  package let output: RunOutput

  /// Wraps an output of another process.
  package init(output: RunOutput) { self.output = output }

  package var isSecret: Bool { output.isSecret }
  package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try output.value.decode(type) }
}

extension RunOutput {
  /// Converts an output to JSON for another process; nil for a Swift value that isn't `Encodable`.
  ///
  /// `limit` is its maximum size in bytes. Throws why it can't be passed on, or its encoding error.
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

  /// How many bytes of it a log shows.
  private static let shown = 200

  /// Returns a log line about an output.
  package static func inLog(_ value: any Sendable) -> String {
    switch value {
    case let remote as RemoteOutput where !remote.isSecret:
      String(decoding: remote.output.value.bytes, as: UTF8.self).cut(to: shown, mark: "…")
    case is RemoteOutput, is any AnySecret: "a secret"
    default: "a \(type(of: value))"
    }
  }
}
