import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

struct InitializationErrorTests {
  @Test("errors are written as documented (protocol §3)")
  func errors() throws {
    try expectRoundTrip(
      #"{"code":"circularDependency","initializer":"a","cycle":["a","b","c","a"],"message":"…"}"#,
      InitializationError(initializer: "a", reason: .circularDependency(cycle: ["a", "b", "c", "a"]), message: "…"))
    try expectRoundTrip(
      #"{"code":"missingDependency","initializer":"favorites","dependency":"events","message":"…"}"#,
      InitializationError(initializer: "favorites", reason: .missingDependency(dependency: "events"), message: "…"))
    try expectRoundTrip(
      #"{"code":"duplicateInitializer","initializer":"favorites","message":"…"}"#,
      InitializationError(initializer: "favorites", reason: .duplicateInitializer, message: "…"))
    try expectRoundTrip(
      #"{"code":"initializerFailed","initializer":"favorites","cause":{"kind":"exit","status":3},"message":"…"}"#,
      InitializationError(initializer: "favorites", reason: .initializerFailed(cause: .exit(status: 3)), message: "…"))
  }

  @Test("an error of a later version keeps its code, and its initializer and message if it has them")
  func unknown() throws {
    try expectRoundTrip(
      #"{"code":"vetoed","initializer":"a","message":"…"}"#,
      InitializationError(initializer: "a", reason: .unknown(code: "vetoed"), message: "…"))
    #expect(
      try json(#"{"code":"vetoed","by":["policy"]}"#).read(InitializationError.self)
        == InitializationError(initializer: "", reason: .unknown(code: "vetoed"), message: "vetoed"))
  }

  @Test("an error without its code's members is refused")
  func incomplete() {
    for text in [
      #"{"code":"circularDependency","initializer":"a","message":"…"}"#,
      #"{"code":"missingDependency","initializer":"a","message":"…"}"#,
      #"{"code":"initializerFailed","initializer":"a","message":"…"}"#,
      #"{"code":"duplicateInitializer","message":"…"}"#, #"{"code":"duplicateInitializer","initializer":"a"}"#,
    ] { #expect(throws: ShapeFault.self) { try json(text).read(InitializationError.self) } }
  }
}
