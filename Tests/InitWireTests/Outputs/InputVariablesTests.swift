import InitJSON
import InitModel
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
  func faults() throws {
    #expect(try variables(["a": "\"x\"", "b": "{\"c\":\"\\u0000\"}"]).fault == nil)
    let fault = try variables(["z": "\"\\u0000\"", "b": "\"x\\u0000\"", "a": "1"]).fault
    #expect(
      fault
        == "cannot pass on the output of b: its text contains NUL, which no environment variable can contain; remove it from the output"
    )
  }
}
