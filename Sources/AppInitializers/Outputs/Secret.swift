/// A value that mustn't be seen: it is handed on as any other, but never printed, logged or told.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The value itself.
  public let value: Value

  /// Hides a value.
  public init(_ value: Value) { self.value = value }

  /// Says that there is a secret, and not which.
  public var description: String { "(secret)" }
  /// The same.
  public var debugDescription: String { description }
  /// A mirror in which there is nothing to see, for `dump` and the like.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What another process hands over may be taken as a secret. Nothing is encoded by this: a secret has no text.
extension Secret: Decodable where Value: Decodable {
  /// Reads the value itself, and hides it.
  public init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }
}

/// A secret of any type, for who passes it on.
package protocol AnySecret {
  /// What it hides.
  var hidden: any Sendable { get }
}

extension Secret: AnySecret {
  package var hidden: any Sendable { value }
}
