import InitModel
import InitWords
import Testing

@testable import InitWire

struct InitializerTests {
  @Test("an initializer is written as documented, with all members (protocol §3)")
  func full() throws {
    try expectRoundTrip(
      #"""
      {"name":"favorites","priority":"appLaunch","dependencies":["events"],
       "provider":"inProcess","available":true,
       "status":"stopping","blockedBy":"events",
       "run":7,"attempt":1,"pass":1,"phase":"launch","started":1763672399.9,"duration":0.21,
       "progress":{"fraction":0.5,"message":"…"},
       "error":{"code":"initializerFailed","initializer":"favorites","cause":{"kind":"workerLost"},"message":"…"}}
      """#,
      Initializer(
        name: "favorites", priority: .appLaunch, dependencies: ["events"], provider: .inProcess, available: true,
        status: .stopping, blockedBy: "events", run: 7, attempt: 1, pass: 1, phase: .launch, started: 1763672399.9,
        duration: 0.21, progress: Initializer.Progress(fraction: 0.5, message: "…"),
        error: InitializationError(
          initializer: "favorites", reason: .initializerFailed(cause: .workerLost), message: "…")))
  }

  @Test("members without a value are left out (protocol §3)")
  func smallest() throws {
    try expectRoundTrip(
      #"{"name":"a","priority":"appActive","dependencies":[],"provider":"command","available":false,"status":"notRun"}"#,
      Initializer(
        name: "a", priority: .appActive, dependencies: [], provider: .command, available: false, status: .notRun))
  }
}
