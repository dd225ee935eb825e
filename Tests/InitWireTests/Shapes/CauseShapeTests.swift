import Testing

@testable import InitWire

struct CauseShapeTests {
  @Test(
    "the causes are written as on the page (protocol §3)",
    arguments: [
      (#"{"kind":"error","message":"…"}"#, .error(message: "…")), (#"{"kind":"exit","status":3}"#, .exit(status: 3)),
      (#"{"kind":"signal","signal":"SIGKILL"}"#, .signal("SIGKILL")),
      (#"{"kind":"timeout","after":30}"#, .timeout(after: 30)),
      (#"{"kind":"workerLost"}"#, .workerLost), (#"{"kind":"notFound","message":"…"}"#, .notFound(message: "…")),
    ] as [(String, CauseShape)])
  func causes(text: String, cause: CauseShape) throws {
    try expectRoundTrip(text, cause)
  }

  @Test("a cause of a later version keeps its kind")
  func unknown() throws {
    try expectRoundTrip(#"{"kind":"evicted"}"#, CauseShape.unknown(kind: "evicted"))
    #expect(try json(#"{"kind":"evicted","by":7}"#).read(CauseShape.self) == .unknown(kind: "evicted"))
  }
}
