import Testing

@testable import InitWire

struct StateShapeTests {
  @Test("states are written as documented (protocol §3)")
  func states() throws {
    let text = #"{"code":"duplicateInitializer","initializer":"favorites","message":"…"}"#
    let error = ErrorShape(initializer: "favorites", reason: .duplicateInitializer, message: "…")
    try expectRoundTrip(#"{"state":"pending"}"#, StateShape(.pending))
    try expectRoundTrip(#"{"state":"complete"}"#, StateShape(.complete))
    try expectRoundTrip(#"{"state":"complete","pass":3}"#, StateShape(.complete, pass: 3))
    try expectRoundTrip(#"{"state":"failed","error":\#(text)}"#, StateShape(.failed, error: error))
    try expectRoundTrip(#"{"state":"cancelled"}"#, StateShape(.cancelled))
  }
}
