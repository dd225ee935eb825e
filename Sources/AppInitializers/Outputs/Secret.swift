/// A confidential value: it is passed to dependents like any other, but never printed, logged or shown.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The value itself.
  public let value: Value

  /// Wraps a value.
  public init(_ value: Value) { self.value = value }

  /// A fixed text instead of the value.
  public var description: String { "(secret)" }
  /// The same.
  public var debugDescription: String { description }
  /// An empty mirror, for `dump` and similar functions.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An output of another process can be decoded as a secret.
///
/// A secret can't be encoded.
extension Secret: Decodable where Value: Decodable {
  /// Decodes the value, and wraps it.
  public init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }
}

/// A secret of any type, for code that passes it on.
package protocol AnySecret {
  /// The wrapped value.
  var hidden: any Sendable { get }
}

extension Secret: AnySecret {
  package var hidden: any Sendable { value }
}
