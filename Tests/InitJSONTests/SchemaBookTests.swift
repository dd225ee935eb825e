import InitJSON
import Testing

private struct Point: Shape {
  var x = 0
  var label: String?
  var isShown = true
  var tags: [String: Int]?
  var version: Int?

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("x", &x)
    try json.optional("label", &label)
    try json.sent("isShown", &isShown)
    try json.optional("tags", &tags)
    try json.sent("version", &version)
  }
}

private struct Line: Shape {
  var points: [Point] = []
  var width = 1.5
  var parent: [Line]?

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("points", &points)
    try json.required("width", &width)
    try json.optional("parent", &parent)
  }
}

private struct Answer: Shape {
  var kind = "none"
  var text = ""

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("kind", &kind)
    guard !json.isDescribing else {
      var text = text
      json.variant("kind", "none")
      return json.variant("kind", "some") { json throws(ShapeFault) in try json.required("text", &text) }
    }
    if kind == "some" { try json.required("text", &text) }
  }
}

@Suite("Schemas of shapes")
struct SchemaBookTests {
  private func schema(_ book: SchemaBook) -> [String] {
    book.definitions.map { definition in
      var writer = JSONWriter()
      writer.object { book.write(definition, to: &$0) }
      return String(decoding: writer.take(), as: UTF8.self)
    }
  }

  @Test("A shape is defined once, with its members in order, and what it consists of")
  func members() throws {
    let book = SchemaBook()
    let form = Line.form(in: book)
    #expect(Line.form(in: book) == form && book.definitions.count == 2)
    #expect(book.definitions.map(\.members.count) == [3, 5])
    let (line, point) = (book.definitions[0].name, book.definitions[1].name)
    #expect(form == .shape(line))
    #expect(
      schema(book) == [
        ##"{"\##(line)":{"type":"object","properties":{"points":{"type":"array","items":{"$ref":"#/$defs/\##(point)"}},"##
          + ##""width":{"type":"number"},"parent":{"type":"array","items":{"$ref":"#/$defs/\##(line)"}}},"##
          + ##""required":["points","width"]}}"##,
        ##"{"\##(point)":{"type":"object","properties":{"x":{"type":"integer"},"label":{"type":"string"},"##
          + ##""isShown":{"type":"boolean"},"tags":{"type":"object","additionalProperties":{"type":"integer"}},"##
          + ##""version":{"type":"integer"}},"required":["x"],"sent":["isShown","version"]}}"##,
      ])
  }

  @Test("A shape whose members depend on its value has a definition for each variant, with the members before them")
  func variants() throws {
    let book = SchemaBook()
    _ = Answer.form(in: book)
    let answer = book.definitions[0]
    #expect(answer.variants == ["\(answer.name).none", "\(answer.name).some"])
    #expect(book.definitions.map(\.name) == [answer.name] + answer.variants)
    #expect(
      schema(book)[2]
        == ##"{"\##(answer.name).some":{"type":"object","properties":{"kind":{"type":"string","enum":["some"]},"##
        + ##""text":{"type":"string"}},"required":["kind","text"]}}"##)
  }
}
