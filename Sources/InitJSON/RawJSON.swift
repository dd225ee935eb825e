/// One JSON value in its original text: checked by `StrictJSON`, but not decoded.
///
/// The value shares the memory of the text around it. It can be passed on unchanged, or decoded if its shape is known.
public struct RawJSON: Sendable {
  let tree: JSONTree
  /// The node in the tree.
  let index: Int

  init(_ tree: JSONTree, _ index: Int) {
    self.tree = tree
    self.index = index
  }

  /// Checks the text of one value of any type; whitespace around it is allowed.
  ///
  /// - Throws: the first fault of the text.
  public init(checking text: [UInt8]) throws(StrictJSON.Fault) {
    self.init(try JSONTree(checking: text, asObject: false), 0)
  }

  /// Checks a text that must be one object.
  ///
  /// - Throws: the first fault of the text.
  public init(object text: [UInt8]) throws(StrictJSON.Fault) {
    self.init(try JSONTree(checking: text, asObject: true), 0)
  }

  /// Creates a value from a text that a `JSONWriter` has written.
  public init(written text: [UInt8]) {
    do throws(StrictJSON.Fault) {
      try self.init(checking: text)
    } catch {
      preconditionFailure("\(error) in \(String(decoding: text, as: UTF8.self))")
    }
  }

  /// The value `{}`.
  public static let emptyObject = RawJSON(written: Array("{}".utf8))
  /// The value `true`.
  public static let `true` = RawJSON(written: Array("true".utf8))

  private var node: JSONTree.Node { tree.nodes[index] }
  /// The kind of the value.
  public var kind: StrictJSON.Kind { node.kind }
  /// The value's text, without the whitespace around it.
  public var bytes: ArraySlice<UInt8> { tree.text[node.range] }

  /// A copy in its own memory, for example to keep a small part of a large text.
  public var detached: RawJSON { bytes.count == tree.text.count ? self : RawJSON(written: Array(bytes)) }

  /// The value as a 64-bit integer; nil for other types, numbers out of range, and numbers with a fraction or an exponent, for example
  /// `1.0` or `1e2`.
  public var integer: Int64? {
    guard kind == .number else { return nil }
    return tree.withText(of: node.range) { digits in
      let isNegative = digits[0] == UInt8(ascii: "-")
      // The range has one more integer below zero than above.
      var negative: Int64 = 0
      for byte in isNegative ? digits.dropFirst() : digits[...] {
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        let (tenfold, isTooSmall) = negative.multipliedReportingOverflow(by: 10)
        let (next, isOver) = tenfold.subtractingReportingOverflow(Int64(digit))
        guard !isTooSmall, !isOver else { return nil }
        negative = next
      }
      if isNegative { return negative }
      return negative == .min ? nil : -negative
    }
  }

  /// The value as a finite number, rounded as in IEEE 754; nil for other types, and if it is out of range.
  public var number: Double? {
    guard kind == .number else { return nil }
    if let value = shortNumber { return value }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// The value, if its digits are an integer of 53 bits, at most 22 of them are behind the point, and it has no exponent.
  ///
  /// Then the integer and the power of ten are exact, so one division rounds correctly. Most numbers are of this kind, and this is faster
  /// than `strtod`.
  private var shortNumber: Double? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    var digits: UInt64 = 0
    var power: Double? = nil
    for byte in isNegative ? bytes.dropFirst() : bytes {
      if byte == UInt8(ascii: ".") {
        power = 1
        continue
      }
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10, digits < (1 << 53) / 10, power ?? 1 < 1e22 else { return nil }
      digits = digits * 10 + UInt64(digit)
      if let before = power { power = before * 10 }
    }
    let value = Double(digits) / (power ?? 1)
    return isNegative ? -value : value
  }

  /// The value as a string, unescaped; nil for other types.
  public var string: String? {
    kind == .string ? tree.string(node.content) : nil
  }

  /// The value as a Boolean; nil for other types.
  public var boolean: Bool? {
    kind == .boolean ? bytes.first == UInt8(ascii: "t") : nil
  }
}

extension RawJSON {
  /// The elements of an array, or the values of an object, in order; empty for other types.
  public struct Values: Sequence, IteratorProtocol {
    private let tree: JSONTree
    private var index: Int
    private let end: Int

    fileprivate init(_ value: RawJSON) {
      tree = value.tree
      index = value.index + 1
      end = value.node.next
    }

    /// Returns the next value.
    public mutating func next() -> RawJSON? {
      guard index < end else { return nil }
      defer { index = tree.nodes[index].next }
      return RawJSON(tree, index)
    }
  }

  /// The elements of an array, or the values of an object.
  public var values: Values { Values(self) }

  /// The name of a member; empty for an element.
  public var key: String {
    tree.string(node.key)
  }

  /// Returns whether the value is a member with this name.
  public func isNamed(_ name: StaticString) -> Bool {
    tree.matches(node.key, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// The members of an object, by name.
  public var members: [String: RawJSON] {
    Dictionary(values.lazy.map { ($0.key, $0) }) { first, _ in first }
  }

  /// Returns a member of an object; nil if no member has this name.
  public subscript(name: String) -> RawJSON? {
    guard kind == .object else { return nil }
    var name = name
    return name.withUTF8 { name in values.first { tree.matches($0.node.key, name) } }
  }

  /// Creates an object with these members, sorted by name.
  public static func object(_ members: [String: RawJSON]) -> RawJSON {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        writer.key(named: name)
        writer.raw(value.bytes)
      }
    }
    return RawJSON(written: writer.take())
  }
}

extension RawJSON: Equatable {
  /// Returns whether two values have the same text, including whitespace.
  public static func == (one: RawJSON, other: RawJSON) -> Bool { one.bytes == other.bytes }
}
