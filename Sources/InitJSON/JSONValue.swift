// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What a method does is in the documentation of its protocol.

/// A type with a JSON form: the value of a member, or an element of an array.
public protocol JSONValue: Sendable {
  /// Reads a value.
  ///
  /// - Throws: the first mismatch.
  static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> Self
  /// Writes the value.
  ///
  /// - Throws: for a number that is infinite or not a number, which JSON can't express.
  func write(to writer: inout JSONWriter) throws(ShapeFault)
  /// The rule for a member that is read leniently and has no rule of its own; nil if every value is valid.
  static var rule: Rule<Self>? { get }
  /// Returns the form of the values, for a schema; defines the shapes that they consist of.
  static func form(in book: SchemaBook) -> SchemaBook.Form
}

extension JSONValue {
  @inlinable public static var rule: Rule<Self>? { nil }
}

/// Decides how strictly a shape is read.
public enum ReadingManner: Sendable {
  /// Null is always an error, and an integer has neither fraction nor exponent.
  case strict
  /// A null member counts as missing, and `1.0` is an integer, because some languages write numbers so.
  case lenient
}

extension ShapeFault {
  public static func must(_ requirement: String) -> ShapeFault {
    ShapeFault(path: "", reason: "must be \(requirement)")
  }

  /// Returns the same fault, with a path from the enclosing value.
  public func inside(_ outer: String) -> ShapeFault { ShapeFault(path: outer + path, reason: reason) }
}

extension String: JSONValue {
  public static func read(_ json: RawJSON, _: ReadingManner) throws(ShapeFault) -> String {
    guard let string = json.string else { throw .must("a string") }
    return string
  }

  public func write(to writer: inout JSONWriter) { writer.string(self) }

  public static func form(in _: SchemaBook) -> SchemaBook.Form { .string }
}

extension Bool: JSONValue {
  public static func read(_ json: RawJSON, _: ReadingManner) throws(ShapeFault) -> Bool {
    guard let boolean = json.boolean else { throw .must("true or false") }
    return boolean
  }

  public func write(to writer: inout JSONWriter) { writer.boolean(self) }

  public static func form(in _: SchemaBook) -> SchemaBook.Form { .boolean }
}

extension Int: JSONValue {
  public static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> Int {
    if let integer = json.integer.flatMap(Int.init(exactly:)) { return integer }
    switch manner {
    case .strict: throw .must("a 64-bit integer without a fraction or exponent")
    case .lenient:
      guard let integer = json.number.flatMap(Int.init(exactly:)) else { throw .must("an integer") }
      return integer
    }
  }

  public func write(to writer: inout JSONWriter) { writer.integer(self) }

  public static var rule: Rule<Int>? { .counted }

  public static func form(in _: SchemaBook) -> SchemaBook.Form { .integer }
}

extension Double: JSONValue {
  public static func read(_ json: RawJSON, _: ReadingManner) throws(ShapeFault) -> Double {
    guard let number = json.number else { throw .must("a number") }
    return number
  }

  public func write(to writer: inout JSONWriter) throws(ShapeFault) {
    guard isFinite else { throw ShapeFault(path: "", reason: "\(self) can't be written as JSON") }
    writer.number(self)
  }

  public static var rule: Rule<Double>? { .measured }

  public static func form(in _: SchemaBook) -> SchemaBook.Form { .number }
}

extension Array: JSONValue where Element: JSONValue {
  @inlinable public static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> [Element] {
    guard json.kind == .array else { throw .must("an array") }
    var elements: [Element] = []
    // An array that grows copies its elements many times; an element of a Status has hundreds of bytes.
    elements.reserveCapacity(json.values.reduce(0) { count, _ in count + 1 })
    for value in json.values {
      do throws(ShapeFault) {
        elements.append(try Element.read(value, manner))
      } catch {
        throw error.inside("[\(elements.count)]")
      }
    }
    return elements
  }

  @inlinable public func write(to writer: inout JSONWriter) throws(ShapeFault) {
    try writer.array { writer throws(ShapeFault) in
      for element in self where !writer.isTooLong { try element.write(to: &writer) }
    }
  }

  public static func form(in book: SchemaBook) -> SchemaBook.Form { .array(Element.form(in: book)) }
}

extension RawJSON: JSONValue {
  public static func read(_ json: RawJSON, _: ReadingManner) -> RawJSON { json }
  public func write(to writer: inout JSONWriter) { writer.raw(bytes) }

  public static func form(in _: SchemaBook) -> SchemaBook.Form { .anything }
}

/// Members are sorted by name, because the order of a dictionary differs between processes.
extension Dictionary: JSONValue where Key == String, Value: JSONValue {
  public static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> [String: Value] {
    guard json.kind == .object else { throw .must("an object") }
    var values: [String: Value] = [:]
    for (name, value) in json.members {
      do throws(ShapeFault) { values[name] = try Value.read(value, manner) } catch { throw error.inside(".\(name)") }
    }
    return values
  }

  public func write(to writer: inout JSONWriter) throws(ShapeFault) {
    try writer.object { writer throws(ShapeFault) in
      for (name, value) in sorted(by: { $0.key < $1.key }) {
        writer.key(named: name)
        do throws(ShapeFault) { try value.write(to: &writer) } catch { throw error.inside(".\(name)") }
      }
    }
  }

  public static func form(in book: SchemaBook) -> SchemaBook.Form { .object(Value.form(in: book)) }
}
