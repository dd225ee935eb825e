import Testing

@testable import InitWire

@Suite("InputVariables")
struct InputVariablesTests {
  private func variables(_ inputs: [String: String]) throws -> InputVariables {
    InputVariables(try inputs.mapValues { try RawJSON(checking: Array($0.utf8)) })
  }

  @Test("A dependency's name in capitals, with _ for what isn't a letter or digit, and its JSON")
  func names() throws {
    let found = try variables(["pick-port": "8080", "a.B:c/9@x": "\"é\""]).variables
    #expect(found.map(\.name) == ["INITD_INPUT_A_B_C_9_X", "INITD_INPUT_PICK_PORT"])
    #expect(found.map(\.value) == ["\"é\"", "8080"])
  }

  @Test("Of those that would share a variable none has it")
  func ambiguous() throws {
    let found = try variables(["a-b": "1", "a_b": "2", "A.B": "3", "c": "4"])
    #expect(found.variables.map(\.name) == ["INITD_INPUT_C"])
    #expect(found.ambiguous == ["A.B", "a-b", "a_b"])
  }
}
