import Testing

@testable import InitWire

@Suite("InputVariables")
struct InputVariablesTests {
  private func variables(_ inputs: [String: String]) throws -> InputVariables {
    InputVariables(try inputs.mapValues { try RawJSON(checking: Array($0.utf8)) })
  }

  @Test(
    "A dependency's variables have its name in capitals, with _ for other characters: one has the text or JSON, one always JSON"
  )
  func names() throws {
    let found = try variables(["pick-port": "8080", "a.B:c/9@x": "\"\\u00e9 \\\"x\\\"\\n\"", "list": "[1, \"a\"]"])
      .variables
    #expect(
      found.map { "\($0.name)=\($0.value)" } == [
        "INITD_INPUT_A_B_C_9_X=é \"x\"\n", "INITD_INPUT_A_B_C_9_X_JSON=\"\\u00e9 \\\"x\\\"\\n\"",
        "INITD_INPUT_LIST=[1, \"a\"]", "INITD_INPUT_LIST_JSON=[1, \"a\"]", "INITD_INPUT_PICK_PORT=8080",
        "INITD_INPUT_PICK_PORT_JSON=8080",
      ])
  }

  @Test("No variable can contain NUL; the first dependency with such an output is reported")
  func unfit() throws {
    #expect(try variables(["a": "\"x\"", "b": "{\"c\":\"\\u0000\"}"]).unfit == nil)
    #expect(try variables(["z": "\"\\u0000\"", "b": "\"x\\u0000\"", "a": "1"]).unfit == "b")
  }

  @Test("Two dependencies that would share a variable are found, even if one's JSON shares the other's text")
  func clashes() {
    for clear in [[], ["a"], ["a-b", "a-c"], ["a", "a-j"], ["json", "a"], ["a", "a"]] {
      #expect(InputVariables.clash(in: clear) == nil)
    }
    #expect(
      InputVariables.clash(in: ["x", "a-b", "y", "A.B", "a_b"])
        == InputVariables.Clash(first: 1, second: 3, variable: "INITD_INPUT_A_B"))
    #expect(
      InputVariables.clash(in: ["a", "a-json"])
        == InputVariables.Clash(first: 0, second: 1, variable: "INITD_INPUT_A_JSON"))
    #expect(InputVariables.clash(in: ["a.json", "a"])?.variable == "INITD_INPUT_A_JSON")
  }
}
