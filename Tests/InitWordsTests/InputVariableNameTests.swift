import Testing

@testable import InitWords

struct InputVariableNameTests {
  @Test("Two dependencies that would share a variable are found, even if one uses it for JSON and the other for text")
  func clashes() {
    for clear in [[], ["a"], ["a-b", "a-c"], ["a", "a-j"], ["json", "a"], ["a", "a"]] {
      #expect(InputVariableName.clash(in: clear) == nil)
    }
    #expect(
      InputVariableName.clash(in: ["x", "a-b", "y", "A.B", "a_b"])
        == InputVariableName.Clash(first: 1, second: 3, variable: "INITD_INPUT_A_B"))
    #expect(
      InputVariableName.clash(in: ["a", "a-json"])
        == InputVariableName.Clash(first: 0, second: 1, variable: "INITD_INPUT_A_JSON"))
    #expect(InputVariableName.clash(in: ["a.json", "a"])?.variable == "INITD_INPUT_A_JSON")
  }
}
