import InitJSON
import InitWords
import Testing

@testable import InitWire

struct EventParamsTests {
  static let initializer = InitializerShape(
    name: "a", priority: .appLaunch, dependencies: [], provider: .worker, available: true, status: .running, run: 7)
  static let initializerText =
    #"{"name":"a","priority":"appLaunch","dependencies":[],"provider":"worker","available":true,"status":"running","run":7}"#

  @Test("events are written as documented (protocol §5)")
  func events() throws {
    try expectRoundTrip(
      #"""
      {"seq":42,"time":1.5,"topic":"state","changed":["launch","composite"],"launch":{"state":"complete","pass":1},
       "active":{"state":"pending"},"composite":{"state":"pending"},"lifecycle":"inactive"}
      """#,
      EventParams(
        seq: 42, time: 1.5,
        body: .state(
          StateEvent(
            changed: [.launch, .composite], launch: StateShape(.complete, pass: 1), active: StateShape(.pending),
            composite: StateShape(.pending), lifecycle: .inactive))))
    try expectRoundTrip(
      #"{"seq":43,"time":2,"topic":"initializer","initializer":\#(Self.initializerText)}"#,
      EventParams(seq: 43, time: 2, body: .initializer(Self.initializer)))
    try expectRoundTrip(
      #"{"seq":44,"time":3,"topic":"pass","pass":3,"phase":"active","status":"started"}"#,
      EventParams(seq: 44, time: 3, body: .pass(PassEvent(pass: 3, phase: .active, status: .started))))
    try expectRoundTrip(
      #"{"seq":45,"time":4,"topic":"worker","worker":{"client":"w","pid":9,"initializers":["a"]},"connected":true}"#,
      EventParams(
        seq: 45, time: 4,
        body: .worker(
          WorkerEvent(worker: WorkerShape(client: "w", pid: 9, initializers: ["a"]), connected: true))))
    try expectRoundTrip(
      #"{"seq":46,"time":5,"topic":"worker","process":{"name":"pg","pid":9,"uptime":0,"restarts":1,"lastExit":{"kind":"exit","status":3},"givenUp":false}}"#,
      EventParams(
        seq: 46, time: 5,
        body: .process(ProcessShape(name: "pg", pid: 9, uptime: 0, restarts: 1, lastExit: .exit(status: 3)))))
  }

  @Test("the members of a log line are beside the topic, and its time is the event's (protocol §5)")
  func log() throws {
    try expectRoundTrip(
      #"{"seq":46,"time":5,"topic":"log","initializer":"migrate","run":4,"stream":"stdout","line":"done"}"#,
      EventParams(
        seq: 46, time: 5,
        body: .log(LogLineShape(time: 5, initializer: "migrate", run: 4, stream: .stdout, line: "done"))))
  }

  @Test("lagged, snapshot and shutdown have no seq of their own (protocol §5)")
  func unnumbered() throws {
    try expectRoundTrip(#"{"topic":"lagged","dropped":12}"#, EventParams(unnumbered: .lagged(dropped: 12)))
    try expectRoundTrip(#"{"topic":"shutdown"}"#, EventParams(unnumbered: .shutdown))
    let status = String(decoding: try StatusShape.smallest.json(), as: UTF8.self)
    try expectRoundTrip(
      #"{"topic":"snapshot","snapshot":\#(status)}"#, EventParams(unnumbered: .snapshot(.smallest)))
  }

  @Test("a topic of a later version is recognized as unknown and ignored")
  func unknownTopic() throws {
    #expect(
      try json(#"{"seq":9,"time":1,"topic":"weather","pass":"x"}"#).read(EventParams.self)
        == EventParams(seq: 9, time: 1, body: .unknown(topic: "weather")))
  }
}
