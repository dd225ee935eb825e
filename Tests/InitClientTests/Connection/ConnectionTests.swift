import EventLoop
import InitJSON
import InitModel
import InitWire
import InitWords
import Synchronization
import Testing

@testable import InitClient

struct ConnectionTests {
  /// Connects, requests the status, and closes.
  private static func status(_ path: String) async throws -> Status {
    let client = try await Client.test(path)
    let status = try await client.send(StatusRequest())
    await client.close()
    return status
  }

  @Test("Hello and the first request are sent without waiting for an answer (rule 1)")
  func pipelining() async throws {
    let status = try await FakeSupervisor.play { door in
      let peer = try door.accept()
      let hello = try peer.expect(HelloRequest.self)
      let status = try peer.expect(StatusRequest.self)
      try peer.answer(hello.id, HelloRequest.Result.fake)
      try peer.answer(status.id, Status.fake(seq: 7))
      try peer.expectEnd()
    } _: { path in
      try await Self.status(path)
    }
    #expect(status.seq == 7)
  }

  @Test("A frame that is too large before hello is held, and so are the following ones (§1, rule 1)")
  func holding() async throws {
    let names = (0..<200).map { "initializer-with-a-long-name-\($0)" }
    let gate = try Gate()
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      let hello = try peer.expect(HelloRequest.self)
      try gate.wait()
      guard peer.hasNothing else { throw Unexpected("something was sent before the answer to hello") }
      try peer.answer(hello.id, HelloRequest.Result.fake)
      try peer.reply(UnregisterRequest.self, EmptyResult())
      try peer.reply(PingRequest.self, PingRequest())
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      async let unregistered = client.send(UnregisterRequest(names: names))
      await client.untilRequested(2)
      async let answer = client.send(PingRequest())
      await client.untilRequested(3)
      gate.open()
      _ = try await (unregistered, answer)
      await client.close()
    }
  }

  @Test("A request that the supervisor would refuse for its size fails locally, and the connection continues (§1)")
  func tooLong() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      var hello = HelloRequest.Result.fake
      hello.limits.frameBytes = 5000
      try peer.reply(HelloRequest.self, hello)
      for _ in 1...2 { try peer.reply(PingRequest.self, PingRequest()) }
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      _ = try await client.send(PingRequest())
      let error = await #expect(throws: ClientError.self) {
        try await client.send(UnregisterRequest(names: (0..<1000).map { "name-\($0)" }))
      }
      guard case .unsendable = error else { throw Unexpected("\(error as Any)") }
      _ = try await client.send(PingRequest())
      await client.close()
    }
  }

  @Test("The messages are the same, regardless of how the bytes are split")
  func cuts() async throws {
    let seqs = try await FakeSupervisor.play { door in
      let peer = try door.accept()
      let hello = try peer.expect(HelloRequest.self)
      let first = try peer.expect(StatusRequest.self)
      var bytes = try Message.answer(id: hello.id, result: HelloRequest.Result.fake)
      bytes += try Message.answer(id: first.id, result: Status.fake(seq: 1))
      for byte in bytes { try peer.write([byte]) }
      try peer.reply(StatusRequest.self, Status.fake(seq: 2))
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      let seqs = [try await client.send(StatusRequest()).seq, try await client.send(StatusRequest()).seq]
      await client.close()
      return seqs
    }
    #expect(seqs == [1, 2])
  }

  @Test("Progress is dropped while the supervisor doesn't read (rule 7)")
  func progress() async throws {
    let gate = try Gate()
    let sent = 100
    let longest = 64 * 1024
    let received = Mutex(0)
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(PingRequest.self, PingRequest())
      try gate.wait()
      while case .notification("progress", _)? = try peer.receive() { received.withLock { $0 += 1 } }
      // The loop ends at the request that follows the reports.
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      _ = try await client.send(PingRequest())
      let message = String(repeating: "x", count: longest)
      for _ in 1...sent { await client.report(ProgressNotification(run: 1, message: message)) }
      gate.open()
      await #expect(throws: ClientError.self) { try await client.send(StatusRequest()) }
    }
    // Returns the queued bytes, and those that the kernel has accepted.
    let bytes = received.withLock { $0 } * longest
    #expect(bytes < Connection.queuedBytesForProgress + sent * longest / 2)
    #expect(bytes >= Connection.queuedBytesForProgress)
  }

  @Test("Answers may come in any order (§2)")
  func anyOrder() async throws {
    let (one, two) = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let one = try peer.expect(LaunchRequest.self)
      let two = try peer.expect(StatusRequest.self)
      try peer.answer(two.id, Status.fake(seq: 2))
      try peer.answer(one.id, LaunchRequest.Result(pass: 1, launch: Status.State(.pending)))
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      async let one = client.send(LaunchRequest())
      await client.untilRequested(2)
      let two = try await client.send(StatusRequest())
      let results = (try await one.pass, two.seq)
      await client.close()
      return results
    }
    #expect((one, two) == (1, 2))
  }

  @Test("The end fails every open call with the reason (rule 4)")
  func end() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.expect(StatusRequest.self)
      try peer.expect(LaunchRequest.self)
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      let status = Task { try await client.send(StatusRequest()) }
      await client.untilRequested(2)
      let launch = Task { try await client.send(LaunchRequest()) }
      let lost = ClientError.lost(path: path, reason: "the supervisor closed it")
      await #expect(throws: lost) { try await status.value }
      await #expect(throws: lost) { try await launch.value }
      // Every later call also fails.
      await #expect(throws: lost) { try await client.send(StatusRequest()) }
      #expect(await client.untilClosed() == lost)
    }
  }

  @Test("The end fails the open calls in the order in which they were made (rule 4)")
  func endInOrder() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      for _ in 0..<8 { try peer.expect(StatusRequest.self) }
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      #expect(await client.endedCalls(8) == Array(0..<8))
    }
  }

  @Test("An error with id null is the reason if the connection ends after it (§8, rule 4)")
  func complaint() async throws {
    let refusal = WireError(.notPermitted, "cannot serve user 7: only the supervisor's own")
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      try peer.refuse(nil, refusal)
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      await #expect(throws: ClientError.refused(refusal)) { try await client.send(StatusRequest()) }
    }
  }

  @Test("After a failed write, the supervisor's last words are read: they are the reason (rule 5)")
  func lastWords() async throws {
    let gate = try Gate()
    let refusal = WireError(.limitExceeded, "cannot serve you any longer")
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(PingRequest.self, PingRequest())
      peer.stopReading()
      try gate.wait()
      try peer.refuse(nil, refusal)
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      _ = try await client.send(PingRequest())
      try await client.untilUnwritable()
      gate.open()
      #expect(await client.untilClosed() == .refused(refusal))
    }
  }

  @Test("After a failed write, a supervisor that says nothing more is abandoned (rule 5)")
  func noLastWords() async throws {
    let gate = try Gate()
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(PingRequest.self, PingRequest())
      peer.stopReading()
      try gate.wait()
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      _ = try await client.send(PingRequest())
      try await client.untilUnwritable()
      let start = ContinuousClock.now
      guard case .lost(path, let reason)? = await client.untilClosed() else { throw Unexpected("another reason") }
      #expect(reason.hasPrefix("write: "))
      #expect(start.duration(to: .now) < .seconds(60))
      gate.open()
    }
  }

  @Test("A supervisor that has answered hello may then be silent for longer than it may take for hello")
  func silence() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(PingRequest.self, PingRequest())
      try peer.expectEnd()
    } _: { path in
      let loop = try Client.loop.get()
      let client = Client(
        loop: loop, path: path, program: HelloRequest.Program(name: "test", version: "1"), replyTimeout: nil)
      try await client.openAndGreet(helloTimeout: .milliseconds(500))
      // By the same loop's timers, the time for hello ends before that.
      await Sleep.on(loop, for: .milliseconds(600))
      _ = try await client.send(PingRequest())
      await client.close()
    }
  }

  @Test("A supervisor that has answered a wait may then be silent: it isn't pinged any more")
  func silenceAfterWait() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(WaitRequest.self, Status.State(.complete))
      try peer.expectEnd()
    } _: { path in
      let loop = try Client.loop.get()
      let program = HelloRequest.Program(name: "test", version: "1")
      let client = Client(loop: loop, path: path, program: program, replyTimeout: .seconds(4))
      try await client.openAndGreet(helloTimeout: .seconds(60))
      _ = try await client.send(WaitRequest(for: .ready))
      // By the same loop's timers, a ping would be sent before that.
      await Sleep.on(loop, for: .milliseconds(2100))
      await client.close()
    }
  }

  @Test("The reply timeout limits a request that may take longer")
  func replyTimeout() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.expect(StatusRequest.self)
      try peer.expectEnd()
    } _: { path in
      let loop = try Client.loop.get()
      let limit = Duration.milliseconds(100)
      let program = HelloRequest.Program(name: "test", version: "1")
      let client = Client(loop: loop, path: path, program: program, replyTimeout: limit)
      try await client.openAndGreet(helloTimeout: .seconds(60))
      await #expect(throws: ClientError.unresponsive(path: path, after: limit)) {
        _ = try await client.send(StatusRequest(), within: .seconds(10))
      }
      await client.close()
    }
  }

  @Test("A message of exactly the size that is accepted before hello isn't held", arguments: [0, 1])
  func holdingEdge(more: Int) async throws {
    let text = String(repeating: "x", count: 5000)
    let empty = try Message.request(id: .number(2), PingRequest(RawJSON(checking: Array(#"{"x":""}"#.utf8))))
    let room = Frame.largestPayloadBeforeHello - (empty.count - Frame.headerBytes)
    let gate = try Gate()
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      let hello = try peer.expect(HelloRequest.self)
      try gate.wait()
      guard peer.hasNothing == (more > 0) else { throw Unexpected("before the answer to hello") }
      try peer.answer(hello.id, HelloRequest.Result.fake)
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      let params = try RawJSON(checking: Array(#"{"x":"\#(text.prefix(room + more))"}"#.utf8))
      let pinging = Task { try await client.send(PingRequest(params)) }
      await client.untilRequested(2)
      // A turn of the loop writes as much as a turn may write.
      await Sleep.on(try Client.loop.get(), for: .milliseconds(1))
      gate.open()
      _ = await pinging.result
    }
  }

  @Test("A handler that closes the connection gets no further message, even if one has arrived (rule 6)")
  func closedByHandler() async throws {
    let heard = Mutex(0)
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      let hello = try peer.expect(HelloRequest.self)
      var bytes = try Message.answer(id: hello.id, result: HelloRequest.Result.fake)
      for seq in 1...2 {
        bytes += try Message.notification(
          Status.Event(
            seq: seq, time: 1, body: .pass(Status.Event.PassChange(pass: 1, phase: .launch, status: .started))))
      }
      try peer.write(bytes)
      try peer.expectEnd()
    } _: { path in
      let loop = try Client.loop.get()
      let client = Client(
        loop: loop, path: path, program: HelloRequest.Program(name: "test", version: "1"), replyTimeout: nil)
      try await client.closeAtEvent { heard.withLock { $0 += 1 } }
      _ = await client.untilClosed()
      #expect(heard.withLock { $0 } == 1)
    }
  }

  @Test(
    "If the peer violates the protocol, the error says that it isn't a supervisor, and the connection is closed",
    arguments: [
      Array("HTTP/1.1 400 Bad Request\r\n".utf8), [0, 0, 0, 0], [0, 0, 0, 2] + Array("[]".utf8),
      [0, 0, 0, 40] + Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"hello\"}".utf8.prefix(40)),
    ])
  func foreign(bytes: [UInt8]) async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      try peer.expect(HelloRequest.self)
      try peer.write(bytes)
      while try peer.receive() != nil {}
    } _: { path in
      let client = try await Client.test(path)
      let error = await #expect(throws: ClientError.self) { try await client.send(StatusRequest()) }
      guard case .notASupervisor(path, _) = error else { throw Unexpected("\(error as Any)") }
      #expect(await !client.isOpen)
    }
  }

  @Test("Unknown and malformed notifications, and answers without a request, are ignored (§2)")
  func unknown() async throws {
    let status = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.send("\"method\":\"weather\",\"params\":[1]")
      try peer.send("\"method\":\"cancel\",\"params\":{}")
      try peer.send("\"method\":\"event\"")
      try peer.send("\"id\":99,\"result\":{}")
      try peer.send("\"id\":\"other\",\"result\":{}")
      try peer.reply(StatusRequest.self, Status.fake(seq: 3))
      try peer.expectEnd()
    } _: { path in
      try await Self.status(path)
    }
    #expect(status.seq == 3)
  }

  @Test("A request of the supervisor without a handler is answered with −32601 (§2)")
  func unknownRequest() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.run(1, "a")
      try peer.send("\"id\":\"x\",\"method\":\"dance\"")
      for id: RequestID in ["run-1", "x"] {
        guard case .error(let error) = try peer.expectAnswer(id) else { throw Unexpected("a result") }
        guard error.knownCode == .methodNotFound else { throw Unexpected("\(error)") }
      }
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      _ = await client.untilClosed()
    }
  }
}

extension Client {
  /// Sends reports until one can't be written: then the connection waits for the supervisor's last message, or has ended.
  func untilUnwritable() async throws {
    while isOpen, connection.lastWordsTimer == nil {
      report(ProgressNotification(run: 1, message: "still here"))
      await Sleep.on(try Client.loop.get(), for: .milliseconds(1))
    }
  }

  /// Connects, and closes the connection at the first event.
  func closeAtEvent(_ heard: @escaping @Sendable () -> Void) throws {
    try open(helloTimeout: .seconds(60)) { _ in }
    connection.onEvent = { [unowned connection] _, _ in
      heard()
      connection.close()
    }
  }

  /// Returns once this many requests, including hello, have arrived.
  func untilRequested(_ count: Int64) async {
    while connection.lastID < count { await Task.yield() }
  }

  /// Makes so many calls, and returns them in the order in which they ended with the connection.
  fileprivate func endedCalls(_ count: Int) async -> [Int] {
    var ended: [Int] = []
    for number in 0..<count {
      connection.call(StatusRequest(), id: connection.reserveID()) { _ in ended.append(number) }
    }
    _ = await untilClosed()
    return ended
  }
}
