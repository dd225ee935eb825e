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
