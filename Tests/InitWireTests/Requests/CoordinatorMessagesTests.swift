import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

struct CoordinatorMessagesTests {
  private func read<Params: Shape>(_ text: String, as _: Params.Type) throws -> Params {
    try RawJSON(checking: bytes(text)).read(Params.self, .strict)
  }

  private func written(_ shape: some Shape) throws -> String { String(decoding: try shape.json(), as: UTF8.self) }

  @Test("the messages have the members of PROTOCOL.md, and are read as they are written")
  func members() throws {
    let claim = ClaimRequest(
      run: 7, initializer: "migrate", release: "v7", pass: 1, phase: .launch, attempt: 2, timeout: 30, secret: true,
      provider: .command)
    let text =
      #"{"run":7,"initializer":"migrate","release":"v7","pass":1,"phase":"launch","attempt":2,"timeout":30,"secret":true,"provider":"command"}"#
    #expect(try written(claim) == text)
    #expect(try read(text, as: ClaimRequest.self) == claim)

    let output = try RawJSON(checking: bytes(#"{"port":1}"#))
    for (result, text) in [
      (ClaimRequest.Result.run(fence: 42, lease: 10), #"{"decision":"run","fence":42,"lease":10}"#),
      (.run(fence: 1), #"{"decision":"run","fence":1}"#),
      (.done(output: output, message: "b"), #"{"decision":"done","output":{"port":1},"message":"b"}"#),
      (.done(output: nil), #"{"decision":"done"}"#),
    ] {
      #expect(try written(result) == text)
      #expect(try read(text, as: ClaimRequest.Result.self) == result)
    }
    #expect(try written(CompleteRequest(run: 7, output: output)) == #"{"run":7,"output":{"port":1},"secret":false}"#)
    #expect(
      try written(UnclaimNotification(run: 7, outcome: .failed, message: "why"))
        == #"{"run":7,"outcome":"failed","message":"why","stopped":true}"#)
    #expect(try written(RenewNotification(run: 7, lease: 2.5)) == #"{"run":7,"lease":2.5}"#)
    #expect(try written(RevokeNotification(run: 7, message: nil)) == #"{"run":7}"#)
    #expect(
      try written(CoordinateRequest.Result(cancelGrace: 5, once: [.init(initializer: "a", release: "r")]))
        == #"{"cancelGrace":5,"once":[{"initializer":"a","release":"r"}]}"#)
    #expect(try written(ManageRequest.Result(cancelGrace: 5)) == #"{"cancelGrace":5}"#)
    #expect(try read("{}", as: ManageRequest.Result.self).cancelGrace == nil)
    #expect(
      try written(Initializer.Once(release: "v7", fence: 3, message: "done"))
        == #"{"release":"v7","fence":3,"message":"done"}"#)
  }

  @Test(
    "wrong members are refused by name",
    arguments: [
      (#"{"decision":"run","fence":0}"#, ".fence"), (#"{"decision":"run","fence":1,"lease":-1}"#, ".lease"),
      (#"{"fence":1}"#, ".decision"), (#"{"decision":"done","message":1}"#, ".message"),
    ])
  func wrong(text: String, path: String) throws {
    let fault = #expect(throws: ShapeFault.self) { try read(text, as: ClaimRequest.Result.self) }
    #expect(fault?.path == path)
  }

  @Test("a decision of a later version is kept as a word")
  func laterDecision() throws {
    #expect(try read(#"{"decision":"later"}"#, as: ClaimRequest.Result.self).decision == .unknown("later"))
  }
}
