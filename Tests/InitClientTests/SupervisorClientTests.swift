import InitJSON
import InitModel
import InitWire
import Testing

@testable import InitClient

@Suite("SupervisorClient's connection")
struct SupervisorClientConnectionTests {
  @Test("Requests at the same time on a closed client share one new connection")
  func concurrentOpening() async throws {
    let gate = try Gate()
    let count = 8
    let pids = try await FakeSupervisor.play { door in
      let first = try door.greet()
      try first.expectEnd()
      let second = try door.accept()
      // All requests have been made by now.
      try gate.wait()
      #expect(!door.hasCaller)
      try second.greet()
      for _ in 0..<count { _ = try second.reply(StatusRequest.self, Status.fake()) }
    } _: { path in
      let client = try await SupervisorClient.connect(at: path)
      await client.close()
      let asking = (0..<count).map { _ in Task { try await client.status().pid } }
      while await client.opening?.waiting != count { await Task.yield() }
      gate.open()
      var pids: [Int] = []
      for task in asking { pids.append(try await task.value) }
      return pids
    }
    #expect(pids == Array(repeating: 4711, count: count))
  }

  @Test("The instance is that of the connection, and asking for it causes no request")
  func instance() async throws {
    let instances = try await FakeSupervisor.play { door in
      let first = try door.greet()
      try first.expectEnd()
      try door.greet().expectEnd()
    } _: { path in
      let client = try await SupervisorClient.connect(at: path)
      let first = try await client.instance()
      await client.close()
      let second = try await client.instance()
      await client.close()
      return [first, second]
    }
    #expect(instances == [HelloRequest.Result.fake.instance, HelloRequest.Result.fake.instance])
  }

  @Test("A hold that is released is released at the supervisor, and its connection is closed")
  func released() async throws {
    try await FakeSupervisor.play { door in
      let first = try door.greet()
      let holding = try door.greet()
      try holding.reply(ActivateRequest.self, ActivateRequest.Result())
      try holding.reply(ReleaseRequest.self, EmptyResult())
      try holding.expectEnd()
      try first.expectEnd()
    } _: { path in
      let client = try await SupervisorClient.connect(at: path)
      let hold = try await client.hold()
      await hold.release()
      // The connection ends because of the release, not because the hold ends.
      await client.close()
      withExtendedLifetime(hold) {}
    }
  }

  @Test("If one of the requests that wait for a connection is cancelled, the others still get it")
  func oneCancelled() async throws {
    let gate = try Gate()
    try await FakeSupervisor.play { door in
      let first = try door.greet()
      try first.expectEnd()
      let second = try door.accept()
      try gate.wait()
      try second.greet()
      try second.reply(StatusRequest.self, Status.fake())
      try second.expectEnd()
    } _: { path in
      let client = try await SupervisorClient.connect(at: path)
      await client.close()
      let asking = (0..<2).map { _ in Task { try await client.status().pid } }
      while await client.opening?.waiting != 2 { await Task.yield() }
      asking[0].cancel()
      while await client.opening?.waiting == 2 { await Task.yield() }
      gate.open()
      #expect(try await asking[1].value == 4711)
      await #expect(throws: CancellationError.self) { try await asking[0].value }
      await client.close()
    }
  }

  @Test("A ping that isn't answered in time throws, and the connection stays")
  func silentPing() async throws {
    let gate = try Gate()
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let (id, _) = try peer.expect(PingRequest.self)
      try gate.wait()
      try peer.answer(id, EmptyResult())
      try peer.reply(PingRequest.self, PingRequest())
      try peer.expectEnd()
    } _: { path in
      let client = try await SupervisorClient.connect(at: path)
      let error = await #expect(throws: SupervisorError.self) { try await client.ping(within: .milliseconds(50)) }
      #expect(error?.kind == .timedOut)
      gate.open()
      try await client.ping(within: .seconds(10))
      await client.close()
    }
  }
}
