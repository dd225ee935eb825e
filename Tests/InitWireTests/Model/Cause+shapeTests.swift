import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

struct CauseTests {
  @Test(
    "causes are written as documented (protocol §3)",
    arguments: [
      (#"{"kind":"error","message":"…"}"#, .error(message: "…")), (#"{"kind":"exit","status":3}"#, .exit(status: 3)),
      (#"{"kind":"signal","signal":"SIGKILL"}"#, .signal("SIGKILL")),
      (#"{"kind":"timeout","after":30}"#, .timeout(after: .seconds(30))),
      (
        #"{"kind":"timeout","after":2,"message":"refused (3 tries)"}"#,
        .timeout(after: .seconds(2), message: "refused (3 tries)")
      ),
      (#"{"kind":"workerLost"}"#, .workerLost), (#"{"kind":"notFound","message":"…"}"#, .notFound(message: "…")),
      (#"{"kind":"operator","user":"ops"}"#, .operator(user: "ops")),
    ] as [(String, Cause)])
  func causes(text: String, cause: Cause) throws {
    try expectRoundTrip(text, cause)
  }

  @Test("a cause of a later version keeps its kind")
  func unknown() throws {
    try expectRoundTrip(#"{"kind":"evicted"}"#, Cause.unknown(kind: "evicted"))
    #expect(try json(#"{"kind":"evicted","by":7}"#).read(Cause.self) == .unknown(kind: "evicted"))
  }
}
