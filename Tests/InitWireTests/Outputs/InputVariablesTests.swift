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
        == "the output of b has a NUL, which no environment variable can contain; remove it from the output"
    )
  }

  @Test("S35: outputs with NUL, or that share a variable, are left out for a program that depends on none of them")
  func fitting() throws {
    let outputs = ["a-b": "1", "a.b": "2", "c": "3", "d": "\"\\u0000\"", "e": "4", "e-json": "5"]
    let (inputs, problems) = InputVariables.fitting(try outputs.mapValues { try RawJSON(checking: Array($0.utf8)) })
    #expect(inputs.variables.map { "\($0.name)=\($0.value)" } == ["INITD_INPUT_C=3", "INITD_INPUT_C_JSON=3"])
    #expect(
      problems == [
        "the output of d has a NUL, which no environment variable can contain",
        "the outputs of a-b and a.b share the variable INITD_INPUT_A_B; rename one of them",
        "the outputs of e and e-json share the variable INITD_INPUT_E_JSON; rename one of them",
      ])
  }
}
