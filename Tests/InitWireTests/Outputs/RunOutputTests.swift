import InitModel
import InitWords
import Testing

@testable import InitJSON
@testable import InitWire

@Suite("RunOutput")
struct RunOutputTests {
  private func output(_ text: String, limit: Int = .max) throws(RunOutput.Fault) -> RunOutput {
    try RunOutput(Array(text.utf8), limit: limit)
  }

  @Test("An output doesn't keep its message in memory")
  func detached() throws {
    let message = try RawJSON(object: bytes(#"{"other":"\#(String(repeating: "x", count: 10_000))","output":[1]}"#))
    let output = try #require(try RunOutput(result: message))
    #expect(output.value.tree.text == bytes("[1]"))
  }

  @Test("Any JSON value is an output, unchanged except for whitespace around it")
  func values() throws {
    for text in ["1", "\"é\"", "null", "[1, {\"a\": true}]", " \n8080\n"] {
      let value = try output(text).value
      #expect(String(decoding: value.bytes, as: UTF8.self) == text.trimmed)
    }
  }

  @Test("Text that isn't JSON, is nested too deeply or is too large isn't an output")
  func faults() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    for text in ["", "hello", "1 2", "],["] {
      do throws(RunOutput.Fault) {
        _ = try output(text)
        Issue.record("\(text) was taken")
      } catch {
        guard case .json = error else { return #expect(Bool(false), "\(error)") }
      }
    }
    #expect(throws: RunOutput.Fault.tooDeep) { try output(nested(30)) }
    #expect(throws: RunOutput.Fault.tooLarge(limit: 3)) { try output("1234", limit: 3) }
    _ = try output(nested(29))
    _ = try output("123", limit: 3)
  }

  @Test("A command's output is its JSON, or else a string: the text without its last newline")
  func written() throws {
    func json(_ text: String, limit: Int = .max) throws(RunOutput.Fault) -> String {
      String(decoding: try RunOutput(written: Array(text.utf8), limit: limit).value.bytes, as: UTF8.self)
    }
    for (text, expected) in [
      ("8080\n", "8080"), ("\"é\"", "\"é\""), (" {\"a\":1}\n", "{\"a\":1}"), ("hello\n", "\"hello\""),
      ("1 2", "\"1 2\""),
      ("é\n\n", "\"é\\n\""), ("\n", "\"\""), (" x ", "\" x \""), ("a/b", "\"a/b\""),
      ("{\"a\":1,}\n", "\"{\\\"a\\\":1,}\""),
    ] { #expect(try json(text) == expected) }
    #expect(throws: RunOutput.Fault.notText) { try RunOutput(written: [0x61, 0xFF]) }
    #expect(throws: RunOutput.Fault.tooDeep) { try json(String(repeating: "[", count: 33)) }
    #expect(throws: RunOutput.Fault.tooLarge(limit: 4)) { try json("abc", limit: 4) }
    #expect(try json("ab\n", limit: 4) == "\"ab\"")
  }

  @Test("An output of the maximum depth can be passed on in a run request and read from it")
  func deepest() throws {
    let text = String(repeating: "[", count: 29) + String(repeating: "]", count: 29)
    let inputs = ["a": try output(text).value]
    let params = RunRequest(run: 1, initializer: "b", pass: 1, phase: .launch, attempt: 1, inputs: inputs)
    let frame = try Message.request(id: .string("run-1"), params)
    guard case .request(_, "run", let found) = Envelope(payload: Array(frame.dropFirst(4))) else {
      return #expect(Bool(false), "unreadable")
    }
    #expect(try RunRequest(params: found) == params)
  }

  @Test("An answer's output is secret if the member secret has any value other than false")
  func results() throws {
    func result(_ text: String, isSecret: Bool = false) throws -> RunOutput? {
      try RunOutput(result: RawJSON(checking: Array(text.utf8)), isSecret: isSecret)
    }
    for text in ["{}", "[1]", "5", "{\"rows\":5}"] { #expect(try result(text) == nil) }
    #expect(try result("{\"output\":1}")?.isSecret == false)
    #expect(try result("{\"output\":1,\"secret\":false}")?.isSecret == false)
    #expect(try result("{\"output\":1,\"secret\":true}")?.isSecret == true)
    #expect(try result("{\"output\":1,\"secret\":\"no\"}")?.isSecret == true)
    #expect(try result("{\"output\":1,\"secret\":false}", isSecret: true)?.isSecret == true)
  }

  @Test("An answer made from an output is read back as the same output")
  func roundTrip() throws {
    for isSecret in [true, false] {
      let output = try RunOutput(encoding: ["k": [1, 2]], isSecret: isSecret)
      #expect(try RunOutput(result: output.result) == output)
    }
  }

  @Test("The descriptions of an output and of a run's params don't contain the values")
  func unseen() throws {
    let output = try output("\"hunter2\"")
    let params = RunRequest(run: 1, initializer: "a", pass: 1, phase: .launch, attempt: 1, inputs: ["b": output.value])
    var dumped = ""
    dump(output, to: &dumped)
    dump(params, to: &dumped)
    let seen = "\(output) \(params) \(dumped)"
    #expect(!seen.contains("hunter") && !seen.contains("104"), "104 is its first letter")
    #expect(seen.contains("b"))
  }

  @Test("No fault contains the text")
  func quiet() {
    for text in ["hunter2", "\"hunter2", "{\"hunter2\":}"] {
      #expect(throws: RunOutput.Fault.self) { try output(text) }
      do { _ = try output(text) } catch { #expect(!error.description.contains("hunter")) }
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }
}
