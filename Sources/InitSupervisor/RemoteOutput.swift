internal import AppInitializers
internal import InitWire
internal import Logging

/// What a command or a worker handed over, among the values of Swift objects.
struct RemoteOutput: EncodedOutput {
  let output: RunOutput

  var isSecret: Bool { output.isSecret }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try output.value.decode(type) }
}

extension RunContext {
  /// What the run's dependencies have handed over in its pass, as the JSON that another process is given.
  ///
  /// What can't be JSON, a Swift value that isn't `Encodable`, is for Swift objects alone; what should be and can't is told in the log.
  func remoteInputs(limit: Int, logger: Logger) -> [String: RawJSON] {
    var found: [String: RawJSON] = [:]
    for (name, value) in inputs {
      do {
        found[name] = try RunOutput(passingOn: value, limit: limit)?.value
      } catch {
        // What its encoding throws may say what it hides.
        let reason = value is any AnySecret ? "it can't be written as JSON" : "\(error)"
        logger.warning("cannot give \(initializer) what \(name) handed over: \(reason)")
      }
    }
    return found
  }
}

extension RunOutput {
  /// A value that was handed over in whatever form; nil for one that is for Swift alone.
  fileprivate init?(passingOn value: any Sendable, limit: Int) throws {
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
  static func inLog(_ value: any Sendable) -> String {
    switch value {
    case let remote as RemoteOutput where !remote.isSecret:
      let bytes = remote.output.value.bytes
      return String(decoding: bytes.prefix(shown), as: UTF8.self) + (bytes.count > shown ? "…" : "")
    case is RemoteOutput, is any AnySecret: return "a secret"
    default: return "a \(type(of: value))"
    }
  }
}
