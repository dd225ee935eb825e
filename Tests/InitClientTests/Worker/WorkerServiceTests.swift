import EventLoop
import Glibc
import InitJSON
import InitModel
import InitWire
import Platform
import Synchronization
import Testing

@testable import InitClient

struct WorkerServiceTests {
  private struct Broken: Error, CustomStringConvertible { let description = "HTTP 503" }

  /// Creates a worker for one name, with a body.
  private func worker(
    _ path: String, onChange: @escaping @Sendable (WorkerService.Change) -> Void = { _ in },
    _ body: @escaping @Sendable (WorkerRun) async throws -> Void
  ) throws -> WorkerService {
    WorkerService(
      loop: try Client.loop.get(), path: path, program: HelloRequest.Program(name: "worker", version: "1"),
      initializers: [WorkerInitializer(RegisterRequest.Registration(name: "favorites"), body: body)], onChange: onChange
    )
  }

  /// Plays a worker that serves until its body calls `end`, and a supervisor that registers it, performs `script`, and expects its end.
  private func play(
    _ script: @escaping @Sendable (Peer) throws -> Void,
    worker body: @escaping @Sendable (WorkerRun, _ end: () -> Void) async throws -> Void
  ) async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      try script(peer)
      try peer.expectEnd()
    } _: { path in
      let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
      let worker = try worker(path) { run in try await body(run) { continuation.finish() } }
      let serving = Task { try await worker.serve() }
      for await _ in ended {}
      serving.cancel()
      try await serving.value
    }
  }

  /// Sleeps until the task is cancelled.
  private static func untilCancelled() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    defer { continuation.finish() }
    for await _ in stream {}
    try Task.checkCancellation()
  }

  private static func expectError(_ peer: Peer, _ run: Int) throws -> WireError {
    guard case .error(let error) = try peer.expectAnswer(.string("run-\(run)")) else { throw Unexpected("a result") }
    return error
  }

  /// Accepts a connection and refuses its worker permanently, so `serve()` throws.
  private static func refuseWorker(_ door: Door) throws {
    let peer = try door.greet()
    let (id, _) = try peer.expect(RegisterRequest.self)
    try peer.refuse(id, WireError(.notPermitted, "enough"))
    try peer.expectEnd()
  }

  @Test(
    "A run executes, reports progress, and is answered with {} for success, or with its error (§6)")
  func runs() async throws {
    try await play { peer in
      try peer.run(7, "favorites")
      guard case .notification("progress", let params) = try peer.receive(),
        try ProgressNotification(params: params)
          == ProgressNotification(run: 7, fraction: 0.5, message: "half", extend: 30)
      else { throw Unexpected("no progress") }
      guard try peer.expectAnswer("run-7") == .result(.emptyObject) else { throw Unexpected("not {}") }
      try peer.run(8, "favorites")
      let error = try Self.expectError(peer, 8)
      guard error == WireError(code: 1, message: "HTTP 503") else { throw Unexpected("\(error)") }
      try peer.event(unnumbered: .shutdown)
      // The worker ends in order.
      try peer.reply(UnregisterRequest.self, EmptyResult())
    } worker: { run, end in
      defer { if run.params.run == 8 { end() } }
      guard run.params.run == 7 else { throw Broken() }
      await run.report(fraction: 0.5, message: "half", extend: .seconds(30))
    }
  }

  @Test(
    "While a megabyte waits for a supervisor that doesn't read, progress is dropped, but the answer isn't (rule 7)"
  )
  func progressBound() async throws {
    let reported = try Gate()
    let message = String(repeating: "x", count: 4000)
    let count = 5000
    try await play { peer in
      try peer.run(7, "favorites")
      try reported.wait()
      var bytes = 0
      while case .notification("progress", _)? = try peer.receive() { bytes += message.utf8.count }
      // The kernel's own buffer isn't counted.
      guard bytes > 0, bytes < 4 << 20 else {
        throw Unexpected(
          "\(bytes) of \(count * message.utf8.count) bytes of progress were kept, or the answer wasn't next")
      }
      try peer.reply(UnregisterRequest.self, EmptyResult())
    } worker: { run, end in
      for _ in 0..<count { await run.report(message: message) }
      reported.open()
      // The worker ends once the answer is written.
      end()
    }
  }

  @Test("A run reads its inputs, and answers with its last output; an output that isn't JSON fails it (§6)")
  func outputs() async throws {
    try await play { peer in
      try peer.run(7, "favorites", inputs: ["a": RawJSON(checking: Array("[1,2]".utf8))])
      let answer = try peer.expectAnswer("run-7")
      guard case .result(let result) = answer, let output = try RunOutput(result: result), output.isSecret,
        try output.value.decode(Int.self) == 3
      else { throw Unexpected("\(answer)") }
      try peer.run(8, "favorites", inputs: ["a": RawJSON(checking: Array("[]".utf8))])
      _ = try Self.expectError(peer, 8)
      try peer.run(9, "favorites", inputs: ["a": RawJSON(checking: Array("{}".utf8))])
      let error = try Self.expectError(peer, 9)
      guard error.message.contains("must be an array") else { throw Unexpected("\(error)") }
      try peer.run(10, "favorites")
      let missing = try Self.expectError(peer, 10)
      guard missing.message.contains("inputs.a: is missing") else { throw Unexpected("\(missing)") }
      try peer.event(unnumbered: .shutdown)
      try peer.reply(UnregisterRequest.self, EmptyResult())
    } worker: { run, end in
      defer { if run.params.run == 10 { end() } }
      let numbers = try run.output(of: "a", as: [Int].self)
      try await run.handOver("an earlier one")
      try await run.handOver(Double(numbers.reduce(0, +)) / (numbers.isEmpty ? 0 : 1), isSecret: true)
    }
  }

  @Test("The output that a run hands over after its end is dropped")
  func lateOutput() async throws {
    let earlier = Mutex<WorkerRun?>(nil)
    try await play { peer in
      try peer.run(7, "favorites")
      _ = try peer.expectAnswer("run-7")
      try peer.run(8, "favorites")
      guard try peer.expectAnswer("run-8") == .result(.emptyObject) else { throw Unexpected("it is kept") }
      try peer.event(unnumbered: .shutdown)
      try peer.reply(UnregisterRequest.self, EmptyResult())
    } worker: { run, end in
      guard run.params.run == 8 else { return earlier.withLock { $0 = run } }
      defer { end() }
      try await earlier.withLock { $0 }?.handOver(5)
      guard await run.worker.outputs.isEmpty else { throw Broken() }
    }
  }

  @Test("A cancelled run is answered with −32008 when it has stopped (S12, S13)")
  func cancellation() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      try peer.run(7, "favorites")
      try peer.cancel(7)
      let error = try Self.expectError(peer, 7)
      guard error.knownCode == .cancelled else { throw Unexpected("\(error)") }
      // An unknown run number is ignored.
      try peer.cancel(7)
      try peer.cancel(99)
      peer.close()
      try Self.refuseWorker(door)
    } _: { path in
      let worker = try worker(path) { _ in try await Self.untilCancelled() }
      let error = await #expect(throws: ClientError.self) { try await worker.serve() }
      guard case .refused(let refusal) = error, refusal.knownCode == .notPermitted else {
        throw Unexpected("\(error as Any)")
      }
    }
  }

  @Test("A run that succeeds after its cancellation is answered as cancelled, because its success doesn't count (S12)")
  func lateSuccess() async throws {
    try await play { peer in
      try peer.run(7, "favorites")
      try peer.cancel(7)
      let error = try Self.expectError(peer, 7)
      guard error.knownCode == .cancelled else { throw Unexpected("\(error)") }
      try peer.reply(UnregisterRequest.self, EmptyResult())
    } worker: { _, end in
      try? await Self.untilCancelled()
      end()
    }
  }

  @Test("After a worker has lost its supervisor, it stops its runs, reconnects, and registers again")
  func reconnection() async throws {
    let changes = Mutex<[WorkerService.Change]>([])
    let running = Mutex(0)
    try await FakeSupervisor.play { door in
      for _ in 1...2 {
        let peer = try door.greet()
        try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
        guard running.withLock({ $0 }) == 0 else { throw Unexpected("it registered again while a run had not stopped") }
        try peer.run(7, "favorites")
        // The first report shows that the run has started.
        _ = try peer.receive()
        peer.close()
      }
      // The supervisor may not have noticed yet that the old connection has ended, so the worker retries after a conflict, and reports it
      // once.
      for _ in 1...2 {
        let peer = try door.greet()
        let (id, _) = try peer.expect(RegisterRequest.self)
        try peer.refuse(id, WireError(.nameConflict, "cannot register favorites: it has a live provider"))
        try peer.expectEnd()
      }
      let last = try door.greet()
      try last.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      try last.reply(UnregisterRequest.self, EmptyResult())
      try last.expectEnd()
    } _: { path in
      let (registrations, continuation) = AsyncStream.makeStream(of: Void.self)
      let worker = try worker(path) { change in
        changes.withLock { $0.append(change) }
        if change == .registered { continuation.yield() }
      } _: { run in
        running.withLock { $0 += 1 }
        await run.report(fraction: 0)
        try? await Self.untilCancelled()
        running.withLock { $0 -= 1 }
      }
      let serving = Task { try await worker.serve() }
      var count = 0
      for await _ in registrations {
        count += 1
        if count == 3 { break }
      }
      serving.cancel()
      try await serving.value
      let lost = WorkerService.Change.lost(.lost(path: path, reason: "the supervisor closed it"))
      let conflict = WireError(.nameConflict, "cannot register favorites: it has a live provider")
      #expect(
        changes.withLock { $0 } == [
          .registered, lost, .registered, lost, .notRegistered(.refused(conflict)), .registered,
        ])
    }
  }

  @Test("A run is reported when it begins, when it is being stopped, and when it has ended; registered comes first")
  func runChanges() async throws {
    let told = Mutex<[String]>([])
    let tell: @Sendable (String) -> Void = { line in told.withLock { $0.append(line) } }
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      try peer.run(7, "favorites")
      _ = try peer.receive()
      try peer.cancel(7)
      try peer.cancel(7)
      _ = try Self.expectError(peer, 7)
      try peer.run(8, "favorites")
      _ = try peer.receive()
      peer.close()
      try Self.refuseWorker(door)
    } _: { path in
      let worker = WorkerService(
        loop: try Client.loop.get(), path: path, program: HelloRequest.Program(name: "worker", version: "1"),
        initializers: [
          WorkerInitializer(RegisterRequest.Registration(name: "favorites")) { run in
            await run.report(fraction: 0)
            try await Self.untilCancelled()
          }
        ],
        onChange: { change in
          switch change {
          case .registered: tell("registered")
          case .lost: tell("connection lost")
          case .notRegistered, .waiting: tell("not registered")
          }
        },
        onRunChange: { change in
          switch change {
          case .began(let run): tell("began \(run.run)")
          case .cancelled(let run, _): tell("cancelled \(run.run)")
          case .lost(let run): tell("lost \(run.run)")
          case .ended(let run, let end): tell("ended \(run.run) \(end)")
          }
        })
      await #expect(throws: ClientError.self) { try await worker.serve() }
    }
    #expect(
      told.withLock { $0 } == [
        "registered", "began 7", "cancelled 7", "ended 7 cancelled", "began 8", "connection lost", "lost 8",
        "ended 8 lost",
      ])
  }

  @Test("After each registration the backoff restarts")
  func pauses() async throws {
    let losses = 10
    let pauses = Mutex<[Duration]>([])
    try await FakeSupervisor.play { door in
      for _ in 1...losses {
        let peer = try door.greet()
        try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
        peer.close()
      }
      try Self.refuseWorker(door)
    } _: { path in
      let worker = try worker(path) { _ in }
      await worker.setPause { _, duration in pauses.withLock { $0.append(duration) } }
      await #expect(throws: ClientError.refused(WireError(.notPermitted, "enough"))) { try await worker.serve() }
    }
    #expect(pauses.withLock(\.count) == losses)
    var first = Backoff.reconnecting
    let longest = first.next(jitter: 1)
    #expect(pauses.withLock { $0.allSatisfy { $0 <= longest } })
  }

  @Test("While there is no supervisor, a worker that was registered tries again at least every 0.1 s")
  func absence() async throws {
    try await FakeSupervisor.withTemporaryDirectory { directory in
      let path = directory + "/s"
      let door = try Door(path: path)
      let scripted = Task(executorPreference: ThreadExecutor(name: "fake", maximumThreads: 1)) {
        let peer = try door.greet()
        try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
        door.close()
        unlink(path)
        peer.close()
      }
      let (pauses, told) = AsyncStream.makeStream(of: Duration.self)
      let worker = try worker(path) { _ in }
      await worker.setPause { _, duration in
        told.yield(duration)
        await Task.yield()
      }
      let serving = Task { try await worker.serve() }
      var iterator = pauses.makeAsyncIterator()
      // After the loss itself, it may have been refused by a supervisor.
      _ = await iterator.next()
      for _ in 0..<30 { #expect(try #require(await iterator.next()) <= .milliseconds(100)) }
      serving.cancel()
      try await serving.value
      try await scripted.value
    }
  }

  @Test("If the first registration is refused, serving ends with the reason")
  func refusal() async throws {
    let refusal = WireError(.nameConflict, "cannot register favorites: it has a live provider")
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let (id, _) = try peer.expect(RegisterRequest.self)
      try peer.refuse(id, refusal)
      try peer.expectEnd()
    } _: { path in
      let worker = try worker(path) { _ in }
      await #expect(throws: ClientError.refused(refusal)) { try await worker.serve() }
    }
  }

  @Test(
    "When serving ends, a worker unregisters, cancels runs, waits for them, and answers before it disconnects (rule 5)")
  func leaving() async throws {
    try await play { peer in
      try peer.run(7, "favorites")
      let unregister = try peer.expect(UnregisterRequest.self)
      guard unregister.request == UnregisterRequest(names: ["favorites"]) else {
        throw Unexpected("\(unregister.request)")
      }
      // The run continues until `unregister` is answered: other runs are answered, this one isn't.
      for number in 100..<120 {
        try peer.run(number, "other")
        _ = try Self.expectError(peer, number)
      }
      try peer.answer(unregister.id, EmptyResult())
      let error = try Self.expectError(peer, 7)
      guard error.knownCode == .cancelled else { throw Unexpected("\(error)") }
    } worker: { _, end in
      end()
      try await Self.untilCancelled()
    }
  }

  @Test("A run of a name that isn't registered is answered with −32602")
  func unknownInitializer() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      try peer.run(7, "other")
      let error = try Self.expectError(peer, 7)
      guard error.knownCode == .invalidParams else { throw Unexpected("\(error)") }
      peer.close()
      try Self.refuseWorker(door)
    } _: { path in
      let worker = try worker(path) { _ in }
      await #expect(throws: ClientError.refused(WireError(.notPermitted, "enough"))) { try await worker.serve() }
    }
  }
}

extension WorkerService {
  fileprivate func setPause(_ pause: @escaping @Sendable (Loop, Duration) async -> Void) { self.pause = pause }
}
