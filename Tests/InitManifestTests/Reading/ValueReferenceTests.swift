import InitDeclarations
import Testing

@testable import InitManifest

@Suite struct ValueReferenceTests {
  @Test(
    "S35: a text is divided at its references",
    arguments: [
      ("plain $A ${A}", [.text("plain $A ${A}")]),
      ("${outputs.a}", [.value(.output("a", pointer: ""))]),
      ("x${outputs.a#/b/0}y", [.text("x"), .value(.output("a", pointer: "/b/0")), .text("y")]),
      (":${ports.web}", [.text(":"), .value(.port("web"))]),
      ("$${ports.web}", [.text("${ports.web}")]), ("$$${ports.web}", [.text("$"), .value(.port("web"))]),
      ("$$$${ports.web}", [.text("$${ports.web}")]), ("${outputs.}", [.text("${outputs.}")]),
      ("${outputs.a#b}", [.text("${outputs.a#b}")]), ("${outputs.a#/~2}", [.text("${outputs.a#/~2}")]),
      ("${ports.web", [.text("${ports.web")]), ("", []),
    ] as [(String, [ValueReference.Part])])
  func parts(_ text: String, _ parts: [ValueReference.Part]) {
    #expect(ValueReference.parts(of: text) == parts)
    #expect(ValueReference.parts(of: ValueReference.text(parts)) == parts)
  }

  @Test("S35: any text stands for itself, whatever it looks like")
  func literal() {
    let pieces = ["$", "{", "outputs.a", "ports.b#", "}", "x", "#/", "${outputs.a}"]
    for first in pieces {
      for second in pieces {
        for third in pieces {
          let text = "$" + first + second + third
          #expect(ValueReference.parts(of: ValueReference.text([.text(text)])) == [.text(text)])
          let before: [ValueReference.Part] = [.text(text), .value(.port("web")), .text(text)]
          #expect(ValueReference.parts(of: ValueReference.text(before)) == before)
        }
      }
    }
  }
}

@Suite struct DeclaredPortTests {
  @Test("S36: a port is a number, a first number, or any")
  func texts() {
    #expect(DeclaredPort("8080") == .number(8080))
    #expect(DeclaredPort("5432+") == .from(5432))
    #expect(DeclaredPort("auto") == .any)
    for text in ["", "0", "65536", "080", "+", "-1", "8080-", "8080++", "any", " 80", "8e1"] {
      #expect(DeclaredPort(text) == nil)
    }
  }
}
