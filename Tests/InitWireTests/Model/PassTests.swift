import InitModel
import InitWords
import Testing

@testable import InitWire

struct PassTests {
  @Test("a pass and its runs are written as documented (protocol §4)")
  func pass() throws {
    try expectRoundTrip(
      #"""
      {"pass":1,"phase":"launch","started":1.5,"duration":2.5,"outcome":"complete","runs":[
        {"run":7,"initializer":"favorites","attempt":1,"ready":1.25,"started":1.5,"duration":0.5,"outcome":"cancelled","waitedFor":["events"]}]}
      """#,
      Pass(
        pass: 1, phase: .launch, started: 1.5, duration: 2.5, outcome: .complete,
        runs: [
          Pass.Run(
            run: 7, initializer: "favorites", attempt: 1, ready: 1.25, started: 1.5, duration: 0.5, outcome: .cancelled,
            waitedFor: ["events"])
        ]))
  }

  @Test("a pass or run that hasn't ended has neither duration nor outcome")
  func running() throws {
    try expectRoundTrip(
      #"{"pass":2,"phase":"active","started":1,"runs":[]}"#,
      Pass(pass: 2, phase: .active, started: 1, duration: nil, outcome: nil, runs: []))
  }
}
