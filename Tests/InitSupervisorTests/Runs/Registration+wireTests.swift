import InitCore
import InitWire
import InitWords
import Testing

@testable import InitSupervisor

@Suite("Registrations and refusals in the protocol")
struct RegistrationWireTests {
  @Test("A registration has the worker's values; missing ones stay open (§4)")
  func registration() {
    let bare = Registration(RegisterRequest.Registration(name: "a"))
    #expect(bare == Registration("a"))
    let full = Registration(
      RegisterRequest.Registration(
        name: "a", priority: .appActive, dependencies: ["b"], timeout: 1.5,
        retry: RegisterRequest.Retry(attempts: 3, delay: 0.5, factor: 4, maxDelay: 9), perProcess: true, optional: true)
    )
    #expect(
      full
        == Registration(
          "a", priority: .appActive, dependencies: ["b"], timeout: .milliseconds(1500),
          retry: RetryPolicy(attempts: 3, delay: .milliseconds(500), factor: 4, maxDelay: .seconds(9)),
          isOptional: true, isPerProcess: true))
  }

  @Test(
    "A refusal of the machine is answered with its code (§7)",
    arguments: [
      (Refusal.shuttingDown, ErrorCode.shuttingDown), (.nameTaken("a"), .nameConflict),
      (.nameResident("a"), .nameConflict), (.declaredOtherwise(Declaration("a")), .nameConflict),
      (.unknownInitializer("a"), .unknownInitializer),
    ])
  func refusal(refusal: Refusal, code: ErrorCode) {
    let error = WireError(refusal)
    #expect(error.knownCode == code && error.message == refusal.description)
  }
}
