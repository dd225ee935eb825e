import AppInitializers
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitClient

@Suite("Passes and explanations of a client")
struct PassesTests {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  /// Returns a pass in which `migrate` fails once, then completes; `serve` waited for it.
  private static func pass() -> Pass {
    var first = Pass.Run(
      run: 1, initializer: "migrate", attempt: 1, attempts: 2, ready: 100, started: 100.5, duration: 1,
      outcome: .failed, cause: .exit(status: 3), waitedFor: [])
    first.traceparent = parent
    let second = Pass.Run(
      run: 2, initializer: "migrate", attempt: 2, attempts: 2, ready: 100, started: 102, duration: 2, cpu: 0.25,
      outcome: .complete, waitedFor: [])
    let serve = Pass.Run(
      run: 3, initializer: "serve", attempt: 1, ready: 104, started: 104, duration: 1, outcome: .complete,
      waitedFor: ["migrate"])
    var pass = Pass(
      pass: 1, phase: .launch, started: 99, opened: 100, duration: 6, outcome: .complete, concurrency: 4,
      runs: [first, second, serve])
    pass.traceparent = parent
    return pass
  }

  @Test("A pass of the history has its runs, where its time went, and its critical path")
  func history() async throws {
    let passes = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let (id, request) = try peer.expect(HistoryRequest.self)
      #expect(request.limit == 5 && request.phase == .launch && !request.inFlight)
      try peer.answer(id, HistoryRequest.Result(passes: [Self.pass()]))
    } _: { path in
      try await SupervisorClient.connect(at: path).history(limit: 5, phase: .launch)
    }
    let pass = try #require(passes.first)
    #expect(pass == Self.pass())
    let migrate = pass.times().initializers[0]
    #expect(migrate.name == "migrate" && migrate.attempts == 2 && migrate.outcome == .complete)
    #expect(migrate.waited == 0 && migrate.queued == 0.5 && migrate.running == 3)
    #expect(migrate.backoff == 0.5 && migrate.finished == 4)
    let path = pass.criticalPath()
    #expect(path.map(\.name) == ["migrate", "serve"])
    #expect(path.map(\.link) == [.opening, .dependency])
    #expect(path[1].from == "migrate" && path[1].share == 1)
  }

  @Test("A pass in flight ends at the time of the Status")
  func inFlight() async throws {
    var pass = Pass(
      pass: 2, phase: .active, started: 200, opened: 200, duration: nil, outcome: nil,
      runs: [
        Pass.Run(
          run: 4, initializer: "sync", attempt: 1, ready: 200, started: 201, duration: nil, outcome: nil, waitedFor: [])
      ])
    pass.concurrency = 1
    let shape = pass
    let (passes, status) = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(HistoryRequest.self, HistoryRequest.Result(passes: [shape]))
      var status = Status.fake()
      status.time = 203
      try peer.reply(StatusRequest.self, status)
    } _: { path in
      let client = try await SupervisorClient.connect(at: path)
      return (try await client.history(limit: 1, inFlight: true), try await client.status())
    }
    #expect(passes[0].outcome == nil && passes[0].duration == nil && passes[0].runs[0].outcome == nil)
    let sync = passes[0].times(at: status).initializers[0]
    #expect(sync.outcome == .running && sync.running == 2)
  }

  @Test("An explanation has the tree of initctl why, with the last lines of what failed")
  func explanation() async throws {
    let explanation = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let error = InitializationError(
        initializer: "migrate", reason: .initializerFailed(cause: .exit(status: 3)),
        message: "migrate failed: exit status 3")
      var status = Status.fake()
      status.initializers = [
        Initializer(
          name: "migrate", priority: .appLaunch, dependencies: [], provider: .command, available: true,
          status: .failed, run: 7, attempt: 1, pass: 1, phase: .launch, started: 0.5, duration: 0.1, error: error)
      ]
      status.launch = Status.State(.failed, error: error, pass: 1)
      status.composite = Status.State(.failed, error: error)
      try peer.reply(StatusRequest.self, status)
      try peer.reply(HistoryRequest.self, HistoryRequest.Result(passes: []))
      try peer.reply(
        LogsRequest.self,
        LogsRequest.Result(lines: [
          LogLine(time: 1, initializer: "migrate", run: 6, stream: .stderr, line: "before"),
          LogLine(time: 2, initializer: "migrate", run: 7, stream: .stderr, line: "no such table"),
        ]))
    } _: { path in
      try await SupervisorClient.connect(at: path).explanation()
    }
    #expect(explanation.name == "ready" && explanation.status == "failed")
    var last = explanation
    while let next = last.because.first { last = next }
    #expect(last.name == "migrate" && last.status == "failed" && last.output == ["no such table"])
    #expect(last.message.contains("exit status 3"))
  }

  @Test(
    "An overview explains one status: every initializer's reason, the output of what failed, and the attempts of what is retried"
  )
  func overview() async throws {
    var retried = Pass(
      pass: 1, phase: .launch, started: 0, opened: 0, duration: nil, outcome: nil,
      runs: [
        Pass.Run(
          run: 8, initializer: "flags", attempt: 1, ready: 0, started: 0, duration: 1, outcome: .failed, waitedFor: [])
      ])
    retried.concurrency = 1
    let shape = retried
    let overview = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let error = InitializationError(
        initializer: "index", reason: .initializerFailed(cause: .exit(status: 3)),
        message: "index failed: exit status 3")
      var index = Initializer(
        name: "index", priority: .appLaunch, dependencies: [], provider: .command, available: true,
        status: .failed, run: 7, attempt: 1, pass: 1, phase: .launch, started: 0.5, duration: 0.1, error: error)
      index.optional = true
      let flags = Initializer(
        name: "flags", priority: .appLaunch, dependencies: [], provider: .command, available: true,
        status: .running, run: 9, attempt: 2, pass: 1, phase: .launch, started: 1.5)
      let serve = Initializer(
        name: "serve", priority: .appLaunch, dependencies: ["flags"], provider: .command, available: true,
        status: .waiting)
      var status = Status.fake()
      status.initializers = [index, flags, serve]
      status.launch = Status.State(.pending, pass: 1)
      try peer.reply(StatusRequest.self, status)
      try peer.reply(HistoryRequest.self, HistoryRequest.Result(passes: []))
      let lines = [LogLine(time: 1, initializer: "index", run: 7, stream: .stderr, line: "no disk")]
      // The explanation names the optional failure too.
      try peer.reply(LogsRequest.self, LogsRequest.Result(lines: lines))
      try peer.reply(LogsRequest.self, LogsRequest.Result(lines: lines))
      try peer.reply(HistoryRequest.self, HistoryRequest.Result(passes: [shape]))
    } _: { path in
      try await SupervisorClient.connect(at: path).overview()
    }
    #expect(overview.status.initializers.map(\.name) == ["index", "flags", "serve"])
    #expect(overview.details == ["index": "optional, exit status 3", "flags": "attempt 2", "serve": "waits for flags"])
    #expect(overview.explanation.name == "ready")
    #expect(overview.failedOutput == ["index": ["no disk"]])
    #expect(overview.retryingPasses.map { $0.runs.map(\.run) } == [[8]])
  }

  @Test("Without such an initializer, or for an older pass, the error says so")
  func unknown() async throws {
    for (goal, kind) in [
      (SupervisorClient.Goal.initializer("absent"), SupervisorError.Kind.unknownInitializer), (.pass(9), .unknownPass),
    ] {
      try await FakeSupervisor.play { door in
        let peer = try door.greet()
        try peer.reply(StatusRequest.self, Status.fake())
        try peer.reply(HistoryRequest.self, HistoryRequest.Result(passes: []))
      } _: { path in
        let client = try await SupervisorClient.connect(at: path)
        let error = await #expect(throws: SupervisorError.self) { try await client.explanation(of: goal) }
        #expect(error?.kind == kind)
      }
    }
  }
}
