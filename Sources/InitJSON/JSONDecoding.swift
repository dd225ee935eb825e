// `Decodable` with the project's own JSON reader, for users' own types.

/// Decodes from one value.
struct ValueDecoder: Decoder {
  let value: RawJSON
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: RawJSON, at path: [any CodingKey] = []) {
    self.value = value
    codingPath = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard value.kind == .object else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(MemberDecoder(value, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard value.kind == .array else { throw mismatch([Any].self) }
    return ElementDecoder(elements: Array(value.values), codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "it is of another type")
    return value.kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.kind == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard let boolean = value.boolean else { throw mismatch(type) }
    return boolean
  }

  func decode(_ type: String.Type) throws -> String {
    guard let string = value.string else { throw mismatch(type) }
    return string
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let number = value.number else { throw mismatch(type) }
    return number
  }

  func decode(_ type: Float.Type) throws -> Float {
    guard value.kind == .number, let number = Float(String(decoding: value.bytes, as: UTF8.self)), number.isFinite
    else { throw mismatch(type) }
    return number
  }

  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

  /// Decodes a whole number in range.
  ///
  /// Reads an integer. It may have a fraction or an exponent, because some languages have only one type of number.
  private func integer<Integer: FixedWidthInteger>() throws -> Integer {
    guard value.kind == .number else { throw mismatch(Integer.self) }
    if let integer = Integer(String(decoding: value.bytes, as: UTF8.self)) { return integer }
    guard let number = value.number, let integer = Integer(exactly: number) else { throw mismatch(Integer.self) }
    return integer
  }
}

private struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let names: [String]
  private let members: [String: RawJSON]
  let codingPath: [any CodingKey]

  init(_ object: RawJSON, codingPath: [any CodingKey]) {
    names = object.values.map(\.key)
    members = object.members
    self.codingPath = codingPath
  }

  var allKeys: [Key] { names.compactMap { Key(stringValue: $0) } }
  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

  private func member(_ key: some CodingKey) throws -> ValueDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "there is no such member"))
    }
    return ValueDecoder(value, at: codingPath + [key])
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).decode(type) }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try member(UnnamedKey.superclass) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct ElementDecoder: UnkeyedDecodingContainer {
  let elements: [RawJSON]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [RawJSON], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Returns the next element, and advances.
  private func next(for type: Any.Type) throws -> ValueDecoder {
    let path = codingPath + [UnnamedKey(currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "there are no more elements"))
    }
    return ValueDecoder(elements[currentIndex], at: path)
  }

  mutating func decodeNil() throws -> Bool {
    guard try next(for: Never?.self).decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try next(for: type).decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    let container = try next(for: [String: Any].self).container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try next(for: [Any].self).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try next(for: Any.self)
    currentIndex += 1
    return decoder
  }
}
