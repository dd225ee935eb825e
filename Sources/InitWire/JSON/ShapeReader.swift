/// Reads the members of one object.
struct ShapeReader: Members {
  private let object: RawJSON
  private let manner: ReadingManner
  /// The node after the last member that was read, because members usually come in the order in which they are requested.
  private var cursor: Int
  private let end: Int

  init(_ object: RawJSON, _ manner: ReadingManner) {
    (self.object, self.manner) = (object, manner)
    cursor = object.index + 1
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
      if let rule, !rule.allows(value) { throw ShapeFault(path: "", reason: rule.requirement) }
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
    cursor = object.tree.nodes[index].next
    return RawJSON(object.tree, index)
  }

  private func find(_ name: StaticString) -> Int? {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    let tree = object.tree
    if cursor < end, tree.matches(tree.nodes[cursor].key, name) { return cursor }
    var index = object.index + 1
    while index < end {
      if tree.matches(tree.nodes[index].key, name) { return index }
      index = tree.nodes[index].next
    }
    return nil
  }
}
