/// The members of an object that is being read, written or described.
public struct Members {
  /// The object that is read; nil when writing.
  @usableFromInline var reader: MemberReader?
  /// Writes the members; empty when reading.
  @usableFromInline var writer = JSONWriter(room: 0)
  /// The definitions to which the members are added; nil when reading or writing.
  @usableFromInline var book: SchemaBook?

  @usableFromInline init(reading object: RawJSON, _ manner: ReadingManner) { reader = MemberReader(object, manner) }

  /// Writes members with a writer, which is empty until `endWriting(to:)`.
  @usableFromInline init(writing writer: inout JSONWriter) { swap(&self.writer, &writer) }

  /// Describes members: nothing is read or written.
  init(describing book: SchemaBook) { self.book = book }

  /// Gives the writer back.
  @usableFromInline mutating func endWriting(to writer: inout JSONWriter) {
    swap(&self.writer, &writer)
    writer.close(UInt8(ascii: "}"))
  }

  /// Whether the members are being read; otherwise they are written or described.
  public var isReading: Bool { reader != nil }
  /// Whether the members are only listed, for a schema.
  ///
  /// A shape whose members depend on its value lists all of them then, with ``variant(_:_:_:)``.
  public var isDescribing: Bool { book != nil }

  /// Describes one of several forms of the shape: that with this word in a member.
  ///
  /// The form has the members that are listed before, and those that `visit` lists.
  public func variant(
    _ member: StaticString, _ word: String, _ visit: (inout Members) throws(ShapeFault) -> Void = { _ in }
  ) {
    book?.addVariant("\(member)", word, visit)
  }
  /// How much of long texts is written; when reading, always the whole.
  public var detail: JSONWriter.Detail { writer.detail }

  /// Returns whether the JSON being read has a member with this name.
  public func has(_ name: StaticString) -> Bool { reader?.find(name) != nil }

  /// Visits a required member.
  ///
  /// `rule` is checked when the value is read.
  @inlinable public mutating func required<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value, _ rule: Rule<Value>? = nil
  ) throws(ShapeFault) {
    guard isReading else { return try write(name, value, .required) }
    guard let json = reader?.next(name) else { throw ShapeFault(path: ".\(name)", reason: "must be given") }
    value = try read(json, name, rule)
  }

  /// Visits a member that may be missing; then the value doesn't change.
  ///
  /// The member is always written.
  @inlinable public mutating func optional<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value, _ rule: Rule<Value>? = nil
  ) throws(ShapeFault) {
    guard isReading else { return try write(name, value, .optional) }
    if let json = reader?.nextIfGiven(name) { value = try read(json, name, rule) }
  }

  /// Visits a member that is left out if it has no value.
  @inlinable public mutating func optional<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value?, _ rule: Rule<Value>? = nil
  ) throws(ShapeFault) {
    if isReading {
      value = if let json = reader?.nextIfGiven(name) { try read(json, name, rule) } else { nil }
    } else if let value {
      try write(name, value, .optional)
    } else {
      describe(Value.self, name, .optional)
    }
  }

  /// Visits a member that every message has, except for those of an earlier version; then the value doesn't change.
  @inlinable public mutating func sent<Value: JSONValue>(_ name: StaticString, _ value: inout Value) throws(ShapeFault)
  {
    guard book == nil else { return describe(Value.self, name, .sent) }
    try optional(name, &value)
  }

  /// Visits a member that every message has, except for those of an earlier version; then it has no value.
  @inlinable public mutating func sent<Value: JSONValue>(_ name: StaticString, _ value: inout Value?) throws(ShapeFault)
  {
    guard book == nil else { return describe(Value.self, name, .sent) }
    try optional(name, &value)
  }

  /// Visits a member that is left out if it has no value, and ignored if it has another type.
  @inlinable public mutating func tolerated<Value: JSONValue>(_ name: StaticString, _ value: inout Value?)
    throws(ShapeFault)
  {
    do throws(ShapeFault) {
      try optional(name, &value)
    } catch {
      guard isReading else { throw error }
    }
  }

  /// Writes or describes a member.
  @inlinable mutating func write<Value: JSONValue>(
    _ name: StaticString, _ value: Value, _ presence: SchemaBook.Presence
  ) throws(ShapeFault) {
    guard book == nil else { return describe(Value.self, name, presence) }
    writer.key(name)
    do throws(ShapeFault) { try value.write(to: &writer) } catch { throw error.inside(".\(name)") }
  }

  @usableFromInline func describe<Value: JSONValue>(
    _: Value.Type, _ name: StaticString, _ presence: SchemaBook.Presence
  ) {
    if let book { book.add(name, Value.form(in: book), presence) }
  }

  @inlinable func read<Value: JSONValue>(
    _ json: RawJSON, _ name: StaticString, _ rule: Rule<Value>?
  ) throws(ShapeFault) -> Value {
    let manner = reader?.manner ?? .strict
    do throws(ShapeFault) {
      let value = try Value.read(json, manner)
      if let rule = rule ?? (manner == .lenient ? Value.rule : nil), !rule.allows(value) {
        throw ShapeFault(path: "", reason: rule.requirement)
      }
      return value
    } catch {
      // The rule's message is more specific than the type's.
      let reason = error.path.isEmpty ? rule?.requirement ?? error.reason : error.reason
      throw ShapeFault(path: ".\(name)\(error.path)", reason: reason)
    }
  }
}

/// Finds the members of an object that is read.
@usableFromInline struct MemberReader {
  let object: RawJSON
  @usableFromInline let manner: ReadingManner
  /// The node after the last member that was read, because members usually come in the order in which they are requested.
  private var cursor: Int
  /// The first member that hasn't been read; all members before it have.
  ///
  /// No member is requested twice.
  private var firstUnread: Int
  private let end: Int

  init(_ object: RawJSON, _ manner: ReadingManner) {
    self.object = object
    self.manner = manner
    cursor = object.index + 1
    firstUnread = cursor
    end = object.tree.nodes[object.index].next
  }

  @usableFromInline mutating func nextIfGiven(_ name: StaticString) -> RawJSON? {
    guard let json = next(name), manner == .strict || json.kind != .null else { return nil }
    return json
  }

  @usableFromInline mutating func next(_ name: StaticString) -> RawJSON? {
    guard let index = find(name) else { return nil }
    let isFirstUnread = index == firstUnread
    cursor = object.tree.nodes[index].next
    if isFirstUnread { firstUnread = cursor }
    return RawJSON(object.tree, index)
  }

  func find(_ name: StaticString) -> Int? {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    if let index = object.tree.member(name, at: cursor, or: firstUnread..<end) { return index }
    assert(
      object.tree.member(name, at: end, or: object.index + 1..<firstUnread) == nil,
      "a shape requests a member twice: \(String(decoding: name, as: UTF8.self))")
    return nil
  }
}
