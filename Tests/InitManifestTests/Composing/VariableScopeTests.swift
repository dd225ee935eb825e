import Testing

@testable import InitManifest

@Suite struct VariableScopeTests {
  private let scope = VariableScope(["A": "outer", "B": "b", "E": "", "_x1": "${B}"]).adding(["A": "a"]).adding([:])

  @Test(
    "A reference is replaced by the value, which isn't expanded again, or by its default",
    arguments: [
      ("", ""), ("plain $A $ {A} $", "plain $A $ {A} $"), ("${A}", "a"), ("x${A}${B}y", "xaby"), ("${E}", ""),
      ("${_x1}", "${B}"), ("${A:-d}", "a"), ("${E:-d}", "d"), ("${N:-d e:-f}", "d e:-f"), ("${N:-}", ""),
      ("${N:-$}", "$"),
      ("$${A}", "${A}"), ("$$${A}", "$${A}"), ("$${", "${"), ("a}b", "a}b"), ("é${A}é", "éaé"),
    ])
  func expand(text: String, result: String) throws {
    #expect(try scope.expand(text) == result)
  }

  @Test(
    "A wrong reference is a mistake, and no message has the rest of the text",
    arguments: [
      ("se${N}cret", "the variable \"N\" is not set"), ("se${", "no name of a variable follows ${"),
      ("${}", "no name of a variable follows ${"), ("${1}", "no name of a variable follows ${"),
      ("${secret!", "no } follows ${secret"), ("${A-x}", "${A…} is a form that isn't supported"),
      ("${A:?x}", "${A…} is a form that isn't supported"),
      ("${A", "no } follows ${A"), ("${A:-x", "no } follows ${A"),
      ("${A:-${B}}", "the default of ${A} has a variable itself"),
    ])
  func mistakes(text: String, problem: String) {
    #expect { try scope.expand(text) } throws: { ($0 as? VariableScope.Mistake)?.problem == problem }
  }

  @Test(
    "An escaped text is expanded to the text", arguments: ["", "$", "${A}", "$${A}", "$$$", "a${", "${${}", "$$${"])
  func escape(text: String) throws {
    #expect(try scope.expand(VariableScope.escape(text)) == text)
  }
}
