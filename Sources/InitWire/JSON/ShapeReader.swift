/// Reads the members of one object.
struct ShapeReader: Members {
  private let object: RawJSON
  private let manner: ReadingManner
  /// The node after the last member that was read, because members usually come in the order in which they are requested.
  private var cursor: Int
  /// The first member that hasn't been read; all members before it have. No member is requested twice.
  private var firstUnread: Int
  private let end: Int

  init(_ object: RawJSON, _ manner: ReadingManner) {
    (self.object, self.manner) = (object, manner)
    cursor = object.index + 1
    firstUnread = cursor
    end = object.tree.nodes[object.index].next
  }

  var isReading: Bool { true }
  var detail: StatusText.Detail { .whole }

  func has(_ name: StaticString) -> Bool { find(name) != nil }

  mutating func required<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value, _ rule: Rule<Value>?
  ) throws(ShapeFault) {
    guard let json = next(name) else { throw ShapeFault(path: ".\(name)", reason: "must be given") }
    value = try read(json, name, rule)
  }

  mutating func optional<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value, _ rule: Rule<Value>?
  ) throws(ShapeFault) {
    if let json = nextIfGiven(name) { value = try read(json, name, rule) }
  }

  mutating func optional<Value: JSONValue>(
    _ name: StaticString, _ value: inout Value?, _ rule: Rule<Value>?
  ) throws(ShapeFault) {
    value = if let json = nextIfGiven(name) { try read(json, name, rule) } else { nil }
  }

  private func read<Value: JSONValue>(
    _ json: RawJSON, _ name: StaticString, _ rule: Rule<Value>?
  ) throws(ShapeFault) -> Value {
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

  private mutating func nextIfGiven(_ name: StaticString) -> RawJSON? {
    guard let json = next(name), manner == .strict || json.kind != .null else { return nil }
    return json
  }

  private mutating func next(_ name: StaticString) -> RawJSON? {
    guard let index = find(name) else { return nil }
    let isFirstUnread = index == firstUnread
    cursor = object.tree.nodes[index].next
    if isFirstUnread { firstUnread = cursor }
    return RawJSON(object.tree, index)
  }

  private func find(_ name: StaticString) -> Int? {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    if let index = object.tree.member(name, at: cursor, or: firstUnread..<end) { return index }
    assert(
      object.tree.member(name, at: end, or: object.index + 1..<firstUnread) == nil,
      "a shape requests a member twice: \(String(decoding: name, as: UTF8.self))")
    return nil
  }
}
