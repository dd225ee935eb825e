import EventLoop
import InitModel
import InitWire
import Platform
import Testing

@testable import InitClient

struct ClientConnectTests {
  @Test("Without a timeout, there is one attempt")
  func oneAttempt() async throws {
    try await FakeSupervisor.withTemporaryDirectory { directory in
      let path = directory + "/s"
      await #expect(throws: ClientError.unreachable(.notFound(path: path))) { try await Client.test(path) }
    }
  }

  @Test("A client waits for a supervisor that isn't running yet")
  func waiting() async throws {
    try await FakeSupervisor.withTemporaryDirectory { directory in
      let path = directory + "/s"
      let connecting = Task { try await Client.test(path, within: FakeSupervisor.deadline) }
      let door = try Door(path: path)
      let serving = Task(executorPreference: ThreadExecutor(name: "fake", maximumThreads: 1)) {
        // The first supervisor is about to end; the second one serves.
        try door.accept().close()
        try door.greet().expectEnd()
      }
      let client = try await connecting.value
      #expect(await client.hello == .fake)
      await client.close()
      try await serving.value
    }
  }

  @Test("After a second of waiting, a client reports the reason, once")
  func patience() async throws {
    try await FakeSupervisor.withTemporaryDirectory { directory in
      let path = directory + "/s"
      let (reasons, tell) = AsyncStream.makeStream(of: ClientError.self)
      let start = ContinuousClock.now
      let connecting = Task {
        defer { tell.finish() }
        return try await Client.connect(
          loop: try Client.loop.get(), path: path, program: HelloRequest.Program(name: "test", version: "1"),
          within: FakeSupervisor.deadline, onWaiting: { tell.yield($0) })
      }
      var iterator = reasons.makeAsyncIterator()
      #expect(await iterator.next() == .unreachable(.notFound(path: path)))
      #expect(start.duration(to: .now) >= .seconds(1))
      let door = try Door(path: path)
      let serving = Task(executorPreference: ThreadExecutor(name: "fake", maximumThreads: 1)) {
        try door.accept().close()
        try door.greet().expectEnd()
      }
      await (try await connecting.value).close()
      try await serving.value
      #expect(await iterator.next() == nil)
    }
  }

  @Test("A client reports that it waits even while an attempt gets no answer")
  func patienceWithSilence() async throws {
    try await FakeSupervisor.withTemporaryDirectory { directory in
      let path = directory + "/s"
      let door = try Door(path: path)
      let (reasons, tell) = AsyncStream.makeStream(of: ClientError.self)
      let connecting = Task {
        try await Client.connect(
          loop: try Client.loop.get(), path: path, program: HelloRequest.Program(name: "test", version: "1"),
          within: FakeSupervisor.deadline, onWaiting: { tell.yield($0) })
      }
      var iterator = reasons.makeAsyncIterator()
      #expect(await iterator.next() == .silent(path: path, after: .seconds(1)))
      connecting.cancel()
      await #expect(throws: ClientError.cancelled) { try await connecting.value }
      withExtendedLifetime(door) {}
    }
  }

  @Test("A client whose task is cancelled doesn't wait for the answer to hello any longer")
  func cancelledGreeting() async throws {
    let greeted = try Gate()
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      try peer.expect(HelloRequest.self)
      greeted.open()
      try peer.expectEnd()
    } _: { path in
      let connecting = Task { try await Client.test(path, within: FakeSupervisor.deadline) }
      try await Task(executorPreference: ThreadExecutor(name: "gate", maximumThreads: 1)) { try greeted.wait() }.value
      let start = ContinuousClock.now
      connecting.cancel()
      await #expect(throws: ClientError.cancelled) { try await connecting.value }
      #expect(start.duration(to: .now) < Connection.helloTimeout)
    }
  }

  @Test("When the time has passed, the error of the last attempt is thrown")
  func givingUp() async throws {
    try await FakeSupervisor.withTemporaryDirectory { directory in
      let path = directory + "/s"
      await #expect(throws: ClientError.unreachable(.notFound(path: path))) {
        try await Client.test(path, within: .milliseconds(30))
      }
    }
  }

  @Test("Permanent errors aren't retried, e.g. a path that is too long (§1)")
  func unusablePath() async throws {
    let path = "/tmp/" + String(repeating: "x", count: 200)
    await #expect(throws: ClientError.unreachable(.pathUnusable(path: path, maximum: 107))) {
      try await Client.test(path, within: .seconds(3600))
    }
  }

  @Test("A supervisor that doesn't answer hello is abandoned")
  func silence() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      try peer.expect(HelloRequest.self)
      try peer.expectEnd()
    } _: { path in
      let error = await #expect(throws: ClientError.self) { try await Client.test(path, within: .milliseconds(50)) }
      guard case .silent(path, _) = error else { throw Unexpected("\(error as Any)") }
    }
  }

  @Test("Another protocol version is reported in the supervisor's words (§7)")
  func otherVersion() async throws {
    let refusal = WireError.unsupportedProtocol(1, supported: [2, 3])
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      let (id, _) = try peer.expect(HelloRequest.self)
      try peer.refuse(id, refusal)
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      await #expect(throws: ClientError.refused(refusal)) { try await client.send(StatusRequest()) }
    }
  }

  @Test("A cancelled task stops waiting for a supervisor")
  func cancelled() async throws {
    try await FakeSupervisor.withTemporaryDirectory { directory in
      let path = directory + "/s"
      let connecting = Task { try await Client.test(path, within: .seconds(3600)) }
      connecting.cancel()
      await #expect(throws: ClientError.cancelled) { try await connecting.value }
    }
  }
}
