/// A value that another process handed over: it becomes a Swift value where one is asked for.
package protocol EncodedOutput: Sendable {
  /// Whether it mustn't be seen.
  var isSecret: Bool { get }

  /// The value as that type.
  ///
  /// - Throws: why it has not the shape of one.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value
}
