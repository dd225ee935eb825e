import FoundationEssentials
import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

@Suite("StatusText")
struct StatusTextTests {
  private func status(_ initializers: [Initializer], launch: Status.State = Status.State(.complete, pass: 1))
    -> Status
  {
    Status(
      seq: 41, time: 1_763_672_400.123, instance: "6f0c", pid: 4711, uptime: 12.5, lifecycle: .active, launch: launch,
      active: Status.State(.pending), composite: Status.State(.pending), holds: 2, concurrency: 3,
      initializers: initializers, workers: [Status.Worker(client: "api \"w\"", pid: 4720, initializers: ["a", "b"])],
      warnings: ["the disk is full"],
      processes: [
        Status.Process(name: "shelf", pid: 12, uptime: 0.5, restarts: 2, lastExit: .exit(status: 0)),
        Status.Process(name: "given", lastExit: .signal("SIGKILL"), nextStart: 1_763_672_401.5, givenUp: true),
      ])
  }

  private let reasons: [InitializationError.Reason] = [
    .circularDependency(cycle: ["a", "b", "a"]), .missingDependency(dependency: "x"), .duplicateInitializer,
    .initializerFailed(cause: .error(message: "no \u{1}\u{1F} \\ \"quotes\"\n\t\r é 😀")),
    .initializerFailed(cause: .exit(status: 3)), .initializerFailed(cause: .signal("SIGKILL")),
    .initializerFailed(cause: .timeout(after: .nanoseconds(100))), .initializerFailed(cause: .workerLost),
    .initializerFailed(cause: .notFound(message: "")),
  ]

  @Test("It is read back unchanged, with every member and every kind of error")
  func readsBack() throws {
    var shapes = reasons.enumerated().map { place, reason in
      Initializer(
        name: "n\(place)", priority: .appActive, dependencies: ["a", "b"], provider: .worker, available: false,
        status: .failed, blockedBy: "b", run: 7, attempt: 2, pass: 3, phase: .active, started: 1_763_672_399.875,
        duration: 0.1, progress: Initializer.Progress(fraction: 0.25, message: "half\u{7F}"),
        error: InitializationError(initializer: "n", reason: reason, message: "m"))
    }
    shapes.append(
      Initializer(
        name: "bare", priority: .appLaunch, dependencies: [], provider: .command, available: true, status: .idle))
    let status = status(shapes, launch: Status.State(.failed, error: shapes[0].error, pass: 1))
    let text = StatusText(status)
    #expect(try RawJSON(checking: text.bytes).read(Status.self) == status)
  }

  @Test("At each later moment it has that moment's time, uptime, subscribers and processes; the rest is as before")
  func later() throws {
    var status = status([
      Initializer(
        name: "a", priority: .appLaunch, dependencies: [], provider: .command, available: true, status: .idle)
    ])
    var text = StatusText(status)
    status.seq = 41
    status.time = 1_763_672_401.25
    status.uptime = 13.5
    status.subscribers = 2
    for processes in [[], [Status.Process(name: "shelf", pid: 12, uptime: 1.5)], status.processes ?? []] {
      status.processes = processes
      var moment = status
      moment.initializers = []
      let former = text.state.withUnsafeBytes(\.baseAddress)
      text = text.at(moment)
      #expect(text.state.withUnsafeBytes(\.baseAddress) == former, "what else it has isn't copied")
      #expect(try RawJSON(checking: text.bytes).read(Status.self) == status)
      #expect(text == StatusText(status))
    }
  }

  @Test("The text has the same members as that of Foundation's encoder")
  func sameMembers() throws {
    let status = status([
      Initializer(
        name: "a", priority: .appLaunch, dependencies: [], provider: .command, available: true, status: .idle)
    ])
    let ours = try RawJSON(checking: StatusText(status).bytes).read(Status.self)
    let theirs = try RawJSON(checking: try status.json()).read(Status.self)
    #expect(ours == theirs)
  }

  @Test("In a Status that would be too long, texts of other programs are shortened, then left out")
  func fits() throws {
    let cycle = (0..<3000).map { "n\($0)" }
    let long = String(repeating: "\u{1}", count: 1024)
    let shapes = cycle.map { name in
      Initializer(
        name: name, priority: .appLaunch, dependencies: [], provider: .worker, available: true, status: .notRun,
        progress: Initializer.Progress(fraction: 0.5, message: long),
        error: InitializationError(initializer: "n0", reason: .circularDependency(cycle: cycle), message: long))
    }
    let status = status(shapes)
    for limit in [StatusText.longest, 2 << 20, 1 << 20] {
      let text = StatusText(status, limit: limit)
      #expect(text.bytes.count <= limit)
      let read = try RawJSON(checking: text.bytes).read(Status.self)
      #expect(read.initializers.map(\.name) == cycle)
      #expect(read.initializers.allSatisfy { $0.status == .notRun && $0.error?.initializer == "n0" })
    }
  }

  @Test("Answers and events with an encoded Status are the same as those with the Status itself")
  func messages() throws {
    let status = status([])
    let text = StatusText(status)
    func payload(_ frame: FrameParts) throws -> Envelope {
      #expect(frame.count == frame.bytes.count && frame.parts.flatMap { $0 } == frame.bytes)
      #expect(frame.common == text.state, "it isn't copied")
      var decoder = FrameDecoder(limit: Frame.largestPayload)
      decoder.append(frame.bytes)
      return Envelope(payload: try #require(try decoder.next()))
    }
    func result(_ frame: FrameParts) throws -> RawJSON {
      guard case .response(_, .result(let result)) = try payload(frame) else { throw CancellationError() }
      return result
    }
    #expect(try result(Message.answer(id: 1, status: text)).read(Status.self) == status)
    let subscribed = try result(Message.answer(id: 1, status: text, isSnapshot: true))
    #expect(try subscribed.read(SubscribeRequest.Result.self).snapshot == status)
    guard case .response(let id, .error(let error)) = try payload(Message.timedOut(id: "x", "late\n", status: text))
    else {
      throw CancellationError()
    }
    #expect(id == "x")
    #expect(error == WireError(.timeout, "late\n", detail: .status(status)))
    guard case .notification("event", let params?) = try payload(Message.snapshot(text)) else {
      throw CancellationError()
    }
    #expect(try params.read(Status.Event.self) == Status.Event(unnumbered: .snapshot(status)))
  }
}
