import InitWords
import Testing

@testable import InitCore

@Suite("Events")
struct EventTests {
  @Test("Attributes that a registration leaves out are those of the manifest, or else the defaults")
  func registration() {
    let base = Declaration(
      "w", priority: .appActive, dependencies: ["a"], timeout: .seconds(1), retry: RetryPolicy(attempts: 3),
      isOptional: true, isPerProcess: true)
    #expect(Registration("w").declaration(over: base) == base)
    #expect(Registration("w").declaration(over: Declaration("w")) == Declaration("w"))
    let said = Registration(
      "w", priority: .appLaunch, dependencies: ["b"], timeout: .seconds(2), retry: RetryPolicy(attempts: 4),
      isOptional: false, isPerProcess: false)
    #expect(
      said.declaration(over: base)
        == Declaration("w", dependencies: ["b"], timeout: .seconds(2), retry: RetryPolicy(attempts: 4)))
  }

  @Test(
    "Every refusal has the name and a remedy",
    arguments: [
      (Refusal.shuttingDown, "the supervisor is shutting down"),
      (.nameTaken("w"), "w has a live provider; unregister it there first, or choose another name"),
      (.nameResident("w"), "w is provided by the supervisor itself; choose another name"),
      (
        .declaredOtherwise(Declaration("w", priority: .appActive, dependencies: ["a", "b"])),
        "the manifest declares w as appActive with the dependencies [a, b]; leave them out, or use the same"
      ),
      (.unknownInitializer("w"), "unknown initializer w"),
    ])
  func refusal(refusal: Refusal, text: String) {
    #expect(refusal.description == text)
  }
}
