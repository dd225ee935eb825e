/// Why a value doesn't have the expected shape.
public struct ShapeFault: Error, Sendable, Equatable {
  /// The path of the member, relative to the value, for example `.initializers[2].name`; empty for the value itself.
  public let path: String
  /// The reason why the value is invalid.
  public let reason: String

  /// Creates a fault.
  public init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }
}

extension ShapeFault: CustomStringConvertible {
  /// The path of the member, and the reason.
  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension RawJSON {
  /// Decodes the value as a type with a JSON form.
  ///
  /// - Throws: `ShapeFault` with the first invalid member.
  public func read<Value: JSONValue>(_: Value.Type = Value.self, _ manner: ReadingManner = .lenient) throws(ShapeFault)
    -> Value
  {
    try Value.read(self, manner)
  }

  /// Decodes a value of any `Decodable` type.
  ///
  /// - Throws: `ShapeFault` with the first invalid member.
  public func decode<Shape: Decodable>(_ shape: Shape.Type) throws(ShapeFault) -> Shape {
    do {
      return try ValueDecoder(self).decode(shape)
    } catch let error as DecodingError {
      throw ShapeFault(error)
    } catch {
      throw ShapeFault(path: "", reason: "\(error)")
    }
  }
}

extension ShapeFault {
  fileprivate init(_ error: DecodingError) {
    let context: DecodingError.Context
    switch error {
    case .keyNotFound(let key, let where_):
      self.init(path: Self.path(where_.codingPath + [key]), reason: "must be given")
      return
    case .typeMismatch(let type, let where_):
      self.init(path: Self.path(where_.codingPath), reason: "must be \(Self.name(of: type))")
      return
    case .valueNotFound(let type, let where_):
      self.init(path: Self.path(where_.codingPath), reason: "must be \(Self.name(of: type)), not null")
      return
    case .dataCorrupted(let where_): context = where_
    @unknown default:
      self.init(path: "", reason: "\(error)")
      return
    }
    self.init(path: Self.path(context.codingPath), reason: context.debugDescription)
  }

  /// Returns the JSON name of the expected type.
  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "an integer"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [Any].Type: "an array"
    case is [String: Any].Type: "an object"
    default: "a \(type)"
    }
  }

  static func path(_ keys: [any CodingKey]) -> String {
    keys.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
  }
}
