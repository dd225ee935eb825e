import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

struct EventTests {
  static let initializer = Initializer(
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
      Status.Event(
        seq: 42, time: 1.5,
        body: .state(
          Status.Event.StateChange(
            changed: [.launch, .composite], launch: Status.State(.complete, pass: 1), active: Status.State(.pending),
            composite: Status.State(.pending), lifecycle: .inactive))))
    try expectRoundTrip(
      #"{"seq":43,"time":2,"topic":"initializer","initializer":\#(Self.initializerText)}"#,
      Status.Event(seq: 43, time: 2, body: .initializer(Self.initializer)))
    try expectRoundTrip(
      #"{"seq":44,"time":3,"topic":"pass","pass":3,"phase":"active","status":"started"}"#,
      Status.Event(seq: 44, time: 3, body: .pass(Status.Event.PassChange(pass: 3, phase: .active, status: .started))))
    try expectRoundTrip(
      #"{"seq":45,"time":4,"topic":"worker","worker":{"client":"w","pid":9,"initializers":["a"]},"connected":true}"#,
      Status.Event(
        seq: 45, time: 4,
        body: .worker(
          Status.Event.WorkerChange(worker: Status.Worker(client: "w", pid: 9, initializers: ["a"]), connected: true))))
    try expectRoundTrip(
      #"{"seq":46,"time":5,"topic":"worker","process":{"name":"pg","pid":9,"uptime":0,"restarts":1,"lastExit":{"kind":"exit","status":3},"givenUp":false}}"#,
      Status.Event(
        seq: 46, time: 5,
        body: .process(Status.Process(name: "pg", pid: 9, uptime: 0, restarts: 1, lastExit: .exit(status: 3)))))
  }

  @Test("the members of a log line are beside the topic, and its time is the event's (protocol §5)")
  func log() throws {
    try expectRoundTrip(
      #"{"seq":46,"time":5,"topic":"log","initializer":"migrate","run":4,"stream":"stdout","line":"done"}"#,
      Status.Event(
        seq: 46, time: 5,
        body: .log(LogLine(time: 5, initializer: "migrate", run: 4, stream: .stdout, line: "done"))))
  }

  @Test("lagged, snapshot and shutdown have no seq of their own (protocol §5)")
  func unnumbered() throws {
    try expectRoundTrip(#"{"topic":"lagged","dropped":12}"#, Status.Event(unnumbered: .lagged(dropped: 12)))
    try expectRoundTrip(#"{"topic":"shutdown"}"#, Status.Event(unnumbered: .shutdown))
    let status = String(decoding: try Status.smallest.json(), as: UTF8.self)
    try expectRoundTrip(
      #"{"topic":"snapshot","snapshot":\#(status)}"#, Status.Event(unnumbered: .snapshot(.smallest)))
  }

  @Test("a topic of a later version is recognized as unknown and ignored")
  func unknownTopic() throws {
    #expect(
      try json(#"{"seq":9,"time":1,"topic":"weather","pass":"x"}"#).read(Status.Event.self)
        == Status.Event(seq: 9, time: 1, body: .unknown(topic: "weather")))
  }
}
