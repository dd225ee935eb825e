import InitModel
import InitWire
import InitWords
import Testing

@testable import initctl

struct EventLineTests {
  private static let time = 1_763_672_400.123
  private static let moment = "2025-11-20T21:00:00.123Z"

  @Test(
    "An event is one line: the time and what happened",
    arguments: [
      (
        Status.Event.Body.state(
          Status.Event.StateChange(
            changed: [.active, .composite], launch: Status.State(.complete, pass: 1),
            active: Status.State(.failed, error: .exit3, pass: 3), composite: Status.State(.failed, error: .exit3),
            lifecycle: .active)),
        "state active failed (pass 3): cannot initialize prices: exit status 3, composite failed"
      ),
      (
        .state(
          Status.Event.StateChange(
            changed: [.launch, .lifecycle], launch: Status.State(.pending), active: Status.State(.pending),
            composite: Status.State(.pending), lifecycle: .inactive)), "state launch pending, lifecycle inactive"
      ),
      (.initializer(.fake("a", .complete, duration: 0.21)), "a is complete after 210 ms"),
      (
        .initializer(.fake("a", .running, progress: Initializer.Progress(fraction: 0.4, message: "x\ny"))),
        "a is running: 40% x\\ny"
      ),
      (.pass(Status.Event.PassChange(pass: 3, phase: .active, status: .cancelled)), "active pass 3 was cancelled"),
      (
        .worker(
          Status.Event.WorkerChange(
            worker: Status.Worker(client: "w", pid: 7, initializers: ["a", "b"]), connected: false)),
        "worker disconnected w (pid 7): a, b"
      ),
      (
        .process(Status.Process(name: "pg", lastExit: .exit(status: 3), nextStart: time + 1.5)),
        "process pg: starts again in 1.5 s, last: exit status 3"
      ),
      (
        .log(LogLine(time: time, initializer: "a", run: 1, stream: .stderr, line: "\u{1B}[31mred\u{7}")),
        "log a | red\\u{7}"
      ),
    ])
  func lines(body: Status.Event.Body, line: String) {
    #expect(EventLine.lines(Status.Event(seq: 1, time: Self.time, body: body), at: 0) == ["\(Self.moment) \(line)"])
  }

  @Test("Words of a later version are shown as they are, escaped")
  func later() throws {
    let lines = EventLine.lines(Status.Event(unnumbered: .snapshot(.later)), at: 0)
    #expect(lines[0].contains("lifecycle dozing\\r, launch vetoed\\r (pass 1)") && lines[0].hasSuffix("paused\\r"))
    #expect(lines[1].hasSuffix(" migrate is skipped\\r"))
    var state = Status.Event.StateChange(
      changed: [.lifecycle], launch: Status.State(.pending), active: Status.State(.pending),
      composite: Status.State(.pending), lifecycle: .inactive)
    state.changed.append(.unknown("weather\r"))
    var pass = Status.Event.PassChange(pass: 3, phase: .active, status: .started)
    pass.phase = .unknown("idle\r")
    pass.status = .unknown("vetoed\r")
    func line(_ body: Status.Event.Body) -> [String] { EventLine.lines(Status.Event(unnumbered: body), at: Self.time) }
    #expect(line(.state(state)) == ["\(Self.moment) state lifecycle inactive, weather\\r"])
    #expect(line(.pass(pass)) == ["\(Self.moment) idle\\r pass 3 is vetoed\\r"])
    #expect(line(.unknown(topic: "weather\r")) == ["\(Self.moment) weather\\r"])
  }

  @Test("Events without a time have that of the present")
  func unnumbered() {
    func line(_ body: Status.Event.Body) -> [String] { EventLine.lines(Status.Event(unnumbered: body), at: Self.time) }
    #expect(line(.lagged(dropped: 12)) == ["\(Self.moment) 12 events were dropped: initctl read them too slowly"])
    #expect(line(.shutdown) == ["\(Self.moment) shutdown: the supervisor ends"])
  }

  @Test("A snapshot is a line for the states, one for each initializer, and one for each worker")
  func snapshot() {
    var status = Status.fake
    status.time = Self.time
    let lines = EventLine.lines(Status.Event(unnumbered: .snapshot(status)), at: 0)
    #expect(lines.count == 7)
    #expect(
      lines.first == "\(Self.moment) snapshot lifecycle active, launch complete (pass 1), "
        + "active failed (pass 3): cannot initialize prices: exit status 3, composite failed")
    #expect(lines[1] == "\(Self.moment) migrate is complete after 210 ms")
    #expect(lines.last == "\(Self.moment) worker connected spare: nothing registered")
    status.processes = [Status.Process(name: "pg", pid: 7, uptime: 1)]
    #expect(
      EventLine.lines(Status.Event(unnumbered: .snapshot(status)), at: 0).last
        == "\(Self.moment) process pg (pid 7): up 1 s")
  }
}
