internal import InitJSON

/// A part of a JSON Schema.
indirect enum SchemaNode {
  case object([(name: String, value: SchemaNode)])
  case list([SchemaNode])
  case text(String)
  case number(Int)
  case boolean(Bool)

  /// The JSON, indented by two spaces per level.
  var json: String { json(indent: "") }

  private func json(indent: String) -> String {
    let inner = indent + "  "
    switch self {
    case .object(let members) where members.isEmpty: return "{}"
    case .object(let members):
      let lines = members.map { "\(inner)\(Self.quoted($0.name)): \($0.value.json(indent: inner))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    // Lists of names are on one line.
    case .list(let elements): return "[" + elements.map { $0.json(indent: indent) }.joined(separator: ", ") + "]"
    case .text(let text): return Self.quoted(text)
    case .number(let number): return "\(number)"
    case .boolean(let value): return "\(value)"
    }
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.take(), as: UTF8.self)
  }
}

extension SchemaNode {
  /// Returns a schema for one of the types, with further rules.
  static func types(_ types: [String], _ rules: [(name: String, value: SchemaNode)] = []) -> SchemaNode {
    .object([("type", types.count == 1 ? .text(types[0]) : .list(types.map { .text($0) }))] + rules)
  }

  /// Returns these rules before the others of an object.
  func with(_ rules: [(name: String, value: SchemaNode)]) -> SchemaNode {
    guard case .object(let own) = self else { return self }
    return .object(own + rules)
  }
}
