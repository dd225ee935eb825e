import InitModel
import Testing

@testable import InitWire

struct StateTests {
  @Test("states are written as documented (protocol §3)")
  func states() throws {
    let text = #"{"code":"duplicateInitializer","initializer":"favorites","message":"…"}"#
    let error = InitializationError(initializer: "favorites", reason: .duplicateInitializer, message: "…")
    try expectRoundTrip(#"{"state":"pending"}"#, Status.State(.pending))
    try expectRoundTrip(#"{"state":"complete"}"#, Status.State(.complete))
    try expectRoundTrip(#"{"state":"complete","pass":3}"#, Status.State(.complete, pass: 3))
    try expectRoundTrip(#"{"state":"failed","error":\#(text)}"#, Status.State(.failed, error: error))
    try expectRoundTrip(#"{"state":"cancelled"}"#, Status.State(.cancelled))
  }
}
