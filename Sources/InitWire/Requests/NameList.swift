internal import InitJSON
internal import InitWords

/// Names of initializers, without duplicates.
struct NameList: JSONValue {
  let names: [String]

  init(_ names: [String]) { self.names = names }

  static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> NameList {
    guard json.kind == .array else { throw .must("an array") }
    var names: [String] = []
    var seen: Set<String> = []
    for (index, value) in json.values.enumerated() {
      guard let name = value.string, InitializerName.isValid(name) else {
        throw ShapeFault(path: "[\(index)]", reason: InitializerName.requirement)
      }
      guard seen.insert(name).inserted else {
        throw ShapeFault(path: "[\(index)]", reason: "must not name \"\(name)\" a second time")
      }
      names.append(name)
    }
    return NameList(names)
  }

  func write(to writer: inout JSONWriter) throws(ShapeFault) { try names.write(to: &writer) }

  static func form(in _: SchemaBook) -> SchemaBook.Form { .array(.string) }
}
