/// A JSON object of the protocol. Its members are listed once, in `visit(_:)`, which serves both reading and writing.
///
/// ```swift
/// struct ProgramShape: Shape {
///   mutating func visit(_ json: inout some Members) throws(ShapeFault) {
///     try json.required("name", &name)
///     try json.required("version", &version)
///   }
/// }
/// ```
package protocol Shape: JSONValue, Equatable {
  /// An empty shape, to be filled by reading; missing members keep the values they have here.
  init()
  /// Visits the members, in the order in which they are written.
  ///
  /// - Throws: the first member that is invalid, or can't be expressed in JSON.
  mutating func visit(_ json: inout some Members) throws(ShapeFault)
}

extension JSONValue {
  /// Its JSON text.
  ///
  /// - Throws: for a number that is infinite or not a number.
  package func json() throws(ShapeFault) -> [UInt8] {
    var writer = JSONWriter()
    try write(to: &writer)
    return writer.take()
  }
}

extension Shape {
  package static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> Self {
    guard json.kind == .object else { throw .must("an object") }
    var shape = Self()
    var reader = ShapeReader(json, manner)
    try shape.visit(&reader)
    return shape
  }

  package func write(to writer: inout JSONWriter) throws(ShapeFault) {
    var copy = self
    try writer.object { writer throws(ShapeFault) in try copy.visit(&writer) }
  }
}

/// The members of an object that is being read or written.
package protocol Members {
  /// Whether the members are being read; otherwise they are written.
  var isReading: Bool { get }
  /// How much of the texts of other programs is written; all of it when reading.
  var detail: StatusText.Detail { get }

  /// Whether the JSON being read has a member with this name.
  func has(_ name: StaticString) -> Bool

  /// A required member.
  ///
  /// - Parameter rule: the rule for the value, checked when it is read.
  mutating func required<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value, _ rule: Rule<Value>?
  ) throws(ShapeFault)

  /// A member that may be missing; then the value doesn't change. It is always written.
  mutating func optional<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value, _ rule: Rule<Value>?
  ) throws(ShapeFault)

  /// A member that is left out if there is no value.
  mutating func optional<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value?, _ rule: Rule<Value>?
  ) throws(ShapeFault)
}

extension Members {
  /// A required member without a rule.
  package mutating func required<Value: JSONValue>(_ name: StaticString, _ value: inout Value) throws(ShapeFault) {
    try required(name, &value, nil)
  }

  /// A member without a rule that may be missing; it is always written.
  package mutating func optional<Value: JSONValue>(_ name: StaticString, _ value: inout Value) throws(ShapeFault) {
    try optional(name, &value, nil)
  }

  /// A member without a rule that is left out if there is no value.
  package mutating func optional<Value: JSONValue>(_ name: StaticString, _ value: inout Value?) throws(ShapeFault) {
    try optional(name, &value, nil)
  }

  /// A member that is left out if there is no value, and ignored if it has another type.
  package mutating func tolerated<Value: JSONValue>(_ name: StaticString, _ value: inout Value?) throws(ShapeFault) {
    do throws(ShapeFault) {
      try optional(name, &value, nil)
    } catch {
      guard isReading else { throw error }
    }
  }
}

/// A rule for the value of a member.
package struct Rule<Value>: Sendable {
  /// The rule for the error message: "must be …".
  let requirement: String
  let allows: @Sendable (Value) -> Bool
}

extension Rule<Int> {
  static var positive: Rule { Rule(requirement: "must be an integer of at least 1") { $0 >= 1 } }
  static var natural: Rule { Rule(requirement: "must be an integer of at least 0") { $0 >= 0 } }
  /// A number of an answer, which every language can hold and count on from: at most 2^53 - 1.
  static let counted = Rule(requirement: "must be an integer between -9007199254740991 and 9007199254740991") {
    -9_007_199_254_740_991...9_007_199_254_740_991 ~= $0
  }
}

extension Rule<Double> {
  /// The maximum duration in seconds. A longer one is a mistake, and no timer accepts it.
  private static var longest: Double { 1e9 }

  /// A duration in seconds.
  static var seconds: Rule {
    Rule(requirement: "must be a number of seconds, at least 0 and less than 1e9") { 0..<longest ~= $0 }
  }
  /// A factor by which a delay grows.
  static var factor: Rule { Rule(requirement: "must be a number, at least 1 and less than 1e9") { 1..<longest ~= $0 } }
  /// A duration or a moment of an answer in seconds, with which one can calculate: less than 32,000 years.
  static let measured = Rule(requirement: "must be a number between -1e12 and 1e12") { -1e12...1e12 ~= $0 }
  /// A fraction, 0…1.
  static var fraction: Rule { Rule(requirement: "must be a number from 0 to 1") { 0...1 ~= $0 } }
}

extension Rule<String> {
  static var initializerName: Rule { Rule(requirement: InitializerName.requirement, allows: InitializerName.isValid) }
}
