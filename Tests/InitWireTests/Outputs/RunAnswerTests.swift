import InitJSON
import InitModel
import Testing

@testable import InitWire

@Suite("The answer of a worker to a run")
struct RunAnswerTests {
  private func told(_ answer: RunAnswer) throws -> String { String(decoding: answer.result.bytes, as: UTF8.self) }

  @Test("A result has the output, and the CPU time if it is known")
  func results() throws {
    let output = try RunOutput(Array("[1]".utf8), isSecret: true)
    #expect(try told(RunAnswer()) == "{}")
    #expect(try told(RunAnswer(cpu: 1.5)) == #"{"cpu":1.5}"#)
    #expect(try told(RunAnswer(output: output)) == #"{"output":[1],"secret":true}"#)
    #expect(try told(RunAnswer(output: output, cpu: 2)) == #"{"cpu":2,"output":[1],"secret":true}"#)
  }

  @Test("What a worker tells is read again, from a result and from an error")
  func readAgain() throws {
    let answer = RunAnswer(cpu: 0.25)
    #expect(Envelope.Outcome.result(answer.result).cpu == 0.25)
    let error = answer.error(WireError(code: 1, message: "broken"))
    let frame = try Message.answer(id: .number(1), error: error)
    guard case .response(_, let outcome) = Envelope(payload: Array(frame.dropFirst(4))) else {
      Issue.record("no response")
      return
    }
    #expect(outcome == .error(error))
    #expect(outcome.cpu == 0.25)
    #expect(Envelope.Outcome.error(WireError(.cancelled, "cancelled")).cpu == nil)
  }

  @Test(
    "Only a duration is the CPU time", arguments: ["{}", "5", "[5]", #"{"cpu":-1}"#, #"{"cpu":1e9}"#, #"{"cpu":"1"}"#])
  func others(text: String) throws {
    #expect(Envelope.Outcome.result(try RawJSON(checking: Array(text.utf8))).cpu == nil)
  }
}
