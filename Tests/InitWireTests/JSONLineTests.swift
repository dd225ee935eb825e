import InitJSON
import InitModel
import Testing

@testable import InitWire

struct JSONLineTests {
  private func line(_ text: String) throws -> String {
    String(decoding: JSONLine.line(try RawJSON(checking: Array(text.utf8)).bytes), as: UTF8.self)
  }

  @Test("JSON is printed unchanged, including unknown members")
  func unchanged() throws {
    #expect(try line(#"{"a":[1.50,"x\n日本"],"new":null}"#) == #"{"a":[1.50,"x\n日本"],"new":null}"# + "\n")
  }

  @Test("It is one line, however it was written")
  func oneLine() throws {
    #expect(try line("{\n\t\"a\":1,\r\n\"b\":2}") == "{  \"a\":1,  \"b\":2}\n")
  }

  @Test("Characters that could affect a terminal are escaped, without changing the value")
  func tricks() throws {
    let text = "\"a\u{7F}\u{9B}\u{202E}\u{2028}\u{E0001}b\""
    let printed = try line(text)
    #expect(printed == #""a\u007f\u009b\u202e\u2028\udb40\udc01b""# + "\n")
    let original = try RawJSON(checking: Array(text.utf8))
    #expect(try RawJSON(checking: Array(printed.utf8)).string == original.string)
  }
}
