// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What a method does is in the documentation of its protocol.

/// A type whose JSON form is an object.
///
/// A shape lists its members once, in `visit(_:)`, which serves reading, writing and the schema.
///
/// ```swift
/// struct Program: Shape {
///   var name = ""
///   var version = ""
///
///   mutating func visit(_ json: inout Members) throws(ShapeFault) {
///     try json.required("name", &name)
///     try json.required("version", &version)
///   }
/// }
/// ```
public protocol Shape: JSONValue, Equatable {
  /// Creates an empty shape, to be filled by reading; missing members keep the values they have here.
  init()
  /// Visits the members, in the order in which they are written.
  ///
  /// - Throws: the first member that is invalid, or can't be expressed in JSON.
  mutating func visit(_ json: inout Members) throws(ShapeFault)
}

extension JSONValue {
  /// Returns the JSON text.
  ///
  /// - Throws: for a number that is infinite or not a number.
  @inlinable public func json() throws(ShapeFault) -> [UInt8] {
    var writer = JSONWriter()
    try write(to: &writer)
    return writer.take()
  }
}

extension Shape {
  @inlinable public static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> Self {
    guard json.kind == .object else { throw .must("an object") }
    var shape = Self()
    var members = Members(reading: json, manner)
    try shape.visit(&members)
    return shape
  }

  public static func form(in book: SchemaBook) -> SchemaBook.Form { book.define(Self.self) }

  @inlinable public func write(to writer: inout JSONWriter) throws(ShapeFault) {
    var copy = self
    try writer.members { members throws(ShapeFault) in try copy.visit(&members) }
  }
}
