import EventLoop
import InitJSON
import InitModel
import InitWire
import InitWords
import Platform
import Testing

@testable import InitClient

struct ClientTests {
  @Test("A refusal is thrown with the supervisor's message and data (§7)")
  func refusal() async throws {
    let error = WireError(.timeout, "timed out", detail: .status(.fake(seq: 4)))
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let (id, request) = try peer.expect(WaitRequest.self)
      guard request == WaitRequest(for: .pass(3), timeout: 0.5, appear: false) else {
        throw Unexpected("\(request)")
      }
      try peer.refuse(id, error)
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      await #expect(throws: ClientError.refused(error)) {
        try await client.send(WaitRequest(for: .pass(3), timeout: 0.5))
      }
      await client.close()
    }
  }

  @Test("A request of a task that was cancelled before fails at once", arguments: 0..<20)
  func cancelledBefore(_: Int) async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.expect(WaitRequest.self)
      try peer.reply(PingRequest.self, PingRequest())
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      let waiting = Task {
        while !Task.isCancelled { await Task.yield() }
        _ = try await client.send(WaitRequest())
      }
      waiting.cancel()
      await #expect(throws: ClientError.cancelled) { try await waiting.value }
      _ = try await client.send(PingRequest())
      await client.close()
    }
  }

  @Test("When the waiting task is cancelled, it stops waiting; the connection continues")
  func cancellation() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let wait = try peer.expect(WaitRequest.self)
      try peer.reply(PingRequest.self, PingRequest())
      // A late answer, whose request has been cancelled.
      try peer.answer(wait.id, Status.State(.complete))
      try peer.reply(PingRequest.self, PingRequest())
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      let waiting = Task { try await client.send(WaitRequest()) }
      await client.untilRequested(2)
      waiting.cancel()
      await #expect(throws: ClientError.cancelled) { try await waiting.value }
      for _ in 1...2 { _ = try await client.send(PingRequest()) }
      await client.close()
    }
  }

  @Test("A request whose answer doesn't arrive within its time limit fails")
  func deadline() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.expect(DeactivateRequest.self)
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      await #expect(throws: ClientError.timedOut(after: .milliseconds(10))) {
        try await client.send(DeactivateRequest(wait: true), within: .milliseconds(10))
      }
      await client.close()
    }
  }

  @Test("After this side has closed the connection, requests fail with that error")
  func closed() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      try peer.expect(HelloRequest.self)
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      await client.close()
      await #expect(throws: ClientError.closed) { try await client.send(StatusRequest()) }
      #expect(await client.untilClosed() == .closed)
    }
  }

  @Test("A client that is dropped closes its connection")
  func dropped() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(PingRequest.self, PingRequest())
      try peer.expectEnd()
    } _: { path in
      _ = try await Client.test(path).send(PingRequest())
    }
  }

  @Test("A closed client leaves no handle on its loop")
  func handles() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.accept()
      try peer.expect(HelloRequest.self)
      try peer.expect(WaitRequest.self)
      try peer.expectEnd()
    } _: { path in
      // A loop belongs to the thread that creates, runs and closes it.
      try await Task(executorPreference: ThreadExecutor(name: "loop", maximumThreads: 1)) {
        let loop = try Loop()
        Task(executorPreference: loop) {
          let client = try await Client.connect(
            loop: loop, path: path, program: HelloRequest.Program(name: "t", version: "1"))
          async let state = client.send(WaitRequest(), within: .seconds(60))
          await client.untilRequested(2)
          await client.close()
          _ = try? await state
          loop.stop()
        }
        loop.run()
        try loop.close()
      }.value
    }
  }
}
