/// An output, as a Swift value or as JSON.
struct OutputValue {
  let value: any Sendable

  /// Returns the value as that type: unchanged, or decoded if it is JSON from another process.
  func read<Value: Sendable>(as type: Value.Type) throws(MissingOutput.Reason) -> Value {
    if let value = value as? Value { return value }
    guard let encoded = value as? any EncodedOutput else {
      throw .type(found: "\(Swift.type(of: value))", wanted: "\(type)")
    }
    guard let decodable = type as? any Decodable.Type else { throw .type(found: "JSON", wanted: "\(type)") }
    let decoded: any Decodable
    do {
      decoded = try encoded.decode(decodable)
    } catch {
      // A decoding error quotes the value, so a secret's error isn't shown.
      let reason = encoded.isSecret ? "" : ": \(error)"
      throw .type(found: "JSON of another shape\(reason)", wanted: "\(type)")
    }
    guard let value = decoded as? Value else { throw .type(found: "JSON", wanted: "\(type)") }
    return value
  }
}

/// An output of another process.
///
/// An encoded output is decoded when a Swift value is requested.
package protocol EncodedOutput: Sendable {
  /// Whether the output is secret.
  var isSecret: Bool { get }

  /// Decodes the value as that type.
  ///
  /// - Throws: the reason why the output can't be decoded.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value
}
