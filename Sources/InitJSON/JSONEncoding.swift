// `Encodable` with the project's own JSON writer, for users' own types.
//
// A value may request its containers in any order and fill them alternately, so it is encoded to a tree first, then to text. Members are
// sorted by name, because the order of a dictionary differs between processes.

/// A value that is being encoded.
private final class Tree {
  enum Content {
    case null
    /// The text of a number or a truth value.
    case plain(String)
    case string(String)
    case array([Tree])
    case object([String: Tree])
  }

  /// The encoded value; nil before anything has been encoded.
  var content: Content?

  init(_ content: Content? = nil) { self.content = content }

  func append(_ element: Tree) {
    guard case .array(var elements) = content else { return }
    // Taken out of its storage, so it isn't copied.
    content = nil
    elements.append(element)
    content = .array(elements)
  }

  func set(_ name: String, to member: Tree) {
    guard case .object(var members) = content else { return }
    content = nil
    members[name] = member
    content = .object(members)
  }

  var count: Int {
    guard case .array(let elements) = content else { return 0 }
    return elements.count
  }

  func write(to writer: inout JSONWriter) {
    switch content {
    case nil: writer.object { _ in }
    case .null: writer.plain("null")
    case .plain(let text): writer.plain(text)
    case .string(let text): writer.string(text)
    case .array(let elements): writer.array { array in for each in elements { each.write(to: &array) } }
    case .object(let members):
      writer.object { object in
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
          object.key(named: name)
          member.write(to: &object)
        }
      }
    }
  }
}

extension JSONWriter {
  /// Returns the JSON text of a value of any `Encodable` type.
  ///
  /// - Throws: `ShapeFault` for a number that is infinite or not a number, and for errors of the value's own encoding.
  public static func text(encoding value: some Encodable) throws(ShapeFault) -> [UInt8] {
    let tree = Tree()
    do {
      try tree.store(value, at: [])
    } catch EncodingError.invalidValue(_, let context) {
      throw ShapeFault(path: ShapeFault.path(context.codingPath), reason: context.debugDescription)
    } catch {
      throw ShapeFault(path: "", reason: "\(error)")
    }
    var writer = JSONWriter()
    tree.write(to: &writer)
    return writer.take()
  }
}

extension Tree {
  fileprivate func store(_ value: some Encodable, at path: [any CodingKey]) throws {
    switch value {
    case let text as String: content = .string(text)
    case let number as Int: content = .plain(number.description)
    case let number as Double: try store(number, at: path)
    case let number as Float: try store(number, at: path)
    case let truth as Bool: content = .plain(truth ? "true" : "false")
    default: try value.encode(to: TreeEncoder(tree: self, codingPath: path))
    }
  }

  fileprivate func store(
    _ number: some BinaryFloatingPoint & LosslessStringConvertible, at path: [any CodingKey]
  ) throws {
    guard number.isFinite else {
      throw EncodingError.invalidValue(
        number, .init(codingPath: path, debugDescription: "\(number) can't be written as JSON"))
    }
    content = .plain(JSONWriter.text(of: number))
  }
}

private struct TreeEncoder: Encoder {
  let tree: Tree
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(MemberEncoder(tree: tree.asObject(), codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ElementEncoder(tree: tree.asArray(), codingPath: codingPath)
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { ValueEncoder(tree: tree, codingPath: codingPath) }
}

extension Tree {
  /// Returns the tree as an object.
  ///
  /// A container that is requested again continues with its contents.
  fileprivate func asObject() -> Tree {
    if case .object = content {} else { content = .object([:]) }
    return self
  }

  fileprivate func asArray() -> Tree {
    if case .array = content {} else { content = .array([]) }
    return self
  }
}

private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let tree: Tree
  let codingPath: [any CodingKey]

  private func add(_ key: any CodingKey) -> Tree {
    let member = Tree()
    tree.set(key.stringValue, to: member)
    return member
  }

  mutating func encodeNil(forKey key: Key) throws { add(key).content = .null }
  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try add(key).store(value, at: codingPath + [key])
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    TreeEncoder(tree: add(key), codingPath: codingPath + [key]).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    TreeEncoder(tree: add(key), codingPath: codingPath + [key]).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    TreeEncoder(tree: add(UnnamedKey.superclass), codingPath: codingPath + [UnnamedKey.superclass])
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    TreeEncoder(tree: add(key), codingPath: codingPath + [key])
  }
}

private struct ElementEncoder: UnkeyedEncodingContainer {
  let tree: Tree
  let codingPath: [any CodingKey]
  var count: Int { tree.count }

  private func add() -> Tree {
    let element = Tree()
    tree.append(element)
    return element
  }

  private var next: [any CodingKey] { codingPath + [UnnamedKey(tree.count)] }

  mutating func encodeNil() throws { add().content = .null }
  mutating func encode<Value: Encodable>(_ value: Value) throws {
    let path = next
    try add().store(value, at: path)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    let path = next
    return TreeEncoder(tree: add(), codingPath: path).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let path = next
    return TreeEncoder(tree: add(), codingPath: path).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    let path = next
    return TreeEncoder(tree: add(), codingPath: path)
  }
}

private struct ValueEncoder: SingleValueEncodingContainer {
  let tree: Tree
  let codingPath: [any CodingKey]

  mutating func encodeNil() throws { tree.content = .null }
  mutating func encode(_ value: Bool) throws { tree.content = .plain(value ? "true" : "false") }
  mutating func encode(_ value: String) throws { tree.content = .string(value) }
  mutating func encode(_ value: Double) throws { try tree.store(value, at: codingPath) }
  mutating func encode(_ value: Float) throws { try tree.store(value, at: codingPath) }
  mutating func encode(_ value: Int) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: Int8) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: Int16) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: Int32) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: Int64) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: Int128) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: UInt) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: UInt8) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: UInt16) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: UInt32) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: UInt64) throws { tree.content = .plain(value.description) }
  mutating func encode(_ value: UInt128) throws { tree.content = .plain(value.description) }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try tree.store(value, at: codingPath) }
}

/// A coding key for positions without a name: an element, or a superclass.
struct UnnamedKey: CodingKey {
  static let superclass = UnnamedKey(stringValue: "super", intValue: nil)

  let stringValue: String
  let intValue: Int?

  init(_ index: Int) { self.init(stringValue: "\(index)", intValue: index) }
  init?(stringValue: String) { self.init(stringValue: stringValue, intValue: nil) }
  init?(intValue: Int) { self.init(intValue) }

  private init(stringValue: String, intValue: Int?) {
    self.stringValue = stringValue
    self.intValue = intValue
  }
}
