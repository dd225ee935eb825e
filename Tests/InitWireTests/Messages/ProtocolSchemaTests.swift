import InitJSON
import InitModel
import Testing

@testable import InitWire

@Suite("Schema of the protocol")
struct ProtocolSchemaTests {
  @Test("It has the params and the result of every method, and each form that it refers to is defined")
  func complete() throws {
    let text = ProtocolSchema.text()
    let schema = try json(text)
    let methods = try #require(schema["methods"]?.members)
    let names = clientRequests.map { $0.method } + supervisorRequests.map { $0.method }
    #expect(names.allSatisfy { methods[$0]?["params"] != nil && methods[$0]?["result"] != nil })
    #expect(methods.count == names.count + notifications.count)
    let definitions = try #require(schema["$defs"]?.members)
    let references = text.split(separator: "#/$defs/").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    #expect(!references.isEmpty && references.allSatisfy { definitions[$0] != nil })
    // No name has the place in the source in it, as those of private types have.
    #expect(definitions.keys.allSatisfy { !$0.contains(" ") })
  }

  @Test("A member is required in the schema if a value without it can't be read")
  func required() throws {
    let schema = try json(ProtocolSchema.text())
    let status = try #require(schema["$defs"]?["Status"])
    let whole = try RawJSON(checking: try Status.smallest.json())
    for name in try #require(status["required"]).values.compactMap(\.string) {
      var members = whole.members
      #expect(members.removeValue(forKey: name) != nil, "\(name)")
      let rest = try RawJSON(checking: try members.json())
      #expect(throws: ShapeFault.self, "\(name)") { try rest.read(Status.self) }
    }
  }
}
