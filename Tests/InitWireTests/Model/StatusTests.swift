import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

struct StatusTests {
  @Test("a Status is written as documented, with all members (protocol §3)")
  func full() throws {
    try expectRoundTrip(
      #"""
      {"seq":41,"time":1763672400.123,"instance":"6f0c…","pid":4711,"uptime":12.5,
       "lifecycle":"active","launch":{"state":"complete","pass":1},"active":{"state":"pending","pass":2},
       "composite":{"state":"pending"},"holds":0,"concurrency":1,
       "initializers":[{"name":"a","priority":"appLaunch","dependencies":[],"provider":"worker","available":true,"status":"idle"}],
       "workers":[{"client":"api-worker","pid":4720,"initializers":["favorites"]}],
       "processes":[{"name":"pg","restarts":3,"nextStart":1763672401.5,"givenUp":false},{"name":"x","restarts":0,"givenUp":true}]}
      """#,
      Status(
        seq: 41, time: 1763672400.123, instance: "6f0c…", pid: 4711, uptime: 12.5, lifecycle: .active,
        launch: Status.State(.complete, pass: 1), active: Status.State(.pending, pass: 2),
        composite: Status.State(.pending),
        holds: 0, concurrency: 1,
        initializers: [
          Initializer(
            name: "a", priority: .appLaunch, dependencies: [], provider: .worker, available: true, status: .idle)
        ],
        workers: [Status.Worker(client: "api-worker", pid: 4720, initializers: ["favorites"])],
        processes: [
          Status.Process(name: "pg", restarts: 3, nextStart: 1763672401.5), Status.Process(name: "x", givenUp: true),
        ]))
  }

  @Test("a Status has the member warnings only if there are problems")
  func warnings() throws {
    var status = Status.smallest
    #expect(status.warnings == nil)
    status.warnings = ["the state file is not written"]
    let json = RawJSON(written: try status.json())
    #expect(try json.read(Status.self) == status)
    #expect(String(decoding: json.bytes, as: UTF8.self).contains(#""warnings":["the state file is not written"]"#))
  }

  @Test("a worker with an unknown process has no pid")
  func unknownProcess() throws {
    try expectRoundTrip(#"{"client":"w","initializers":[]}"#, Status.Worker(client: "w", pid: nil, initializers: []))
    // Some languages write null for a missing member. Only a client accepts that.
    let null = try json(#"{"client":"w","pid":null,"initializers":[]}"#)
    #expect(try null.read(Status.Worker.self).pid == nil)
    #expect(throws: ShapeFault.self) { try null.read(Status.Worker.self, .strict) }
  }
}
