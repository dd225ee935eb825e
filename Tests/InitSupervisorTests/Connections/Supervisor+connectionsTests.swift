import AppInitializers
import InitCore
import InitJSON
import InitModel
import InitWire
import InitWords
import Platform
import TestSupport
import Testing

@testable import InitServer
@testable import InitSupervisor

@Suite("Supervisor: connections")
struct SupervisorConnectionsTests {
  @Test("Another version of the protocol is refused, and the connection closed (protocol §7)")
  func version() async throws {
    try await Setting(configure: { configuration, _ in configuration.limits.clients.helloTimeout = .seconds(3600) })
      .play {
        stage in
        let client = try Client(stage, saysHello: false)
        var params = HelloRequest(client: HelloRequest.Program(name: "old", version: "1"))
        params.protocolVersion = 2
        let error = try client.refusal(of: params)
        #expect(error?.knownCode == .unsupportedProtocol && error?.detail == .supported([1]))
        #expect(try client.ends())
      }
  }

  @Test("A second hello is refused with any params, and the connection continues (protocol §2)")
  func secondHello() async throws {
    try await Setting().play { stage in
      let client = try Client(stage)
      var params = HelloRequest(client: HelloRequest.Program(name: "again", version: "1"))
      #expect(try client.refusal(of: params)?.knownCode == .invalidRequest)
      params.protocolVersion = 2
      #expect(try client.refusal(of: params)?.knownCode == .invalidRequest)
      try client.call(StatusRequest())
    }
  }

  @Test("A client that closes its writing side but reads on gets all answers, even queued ones")
  func halfClosed() async throws {
    try await Setting().play { stage in
      let client = try Client(stage)
      let small = try (0..<200).map { _ in try client.request(StatusRequest()) }
      let text = String(repeating: "x", count: 1_000_000)
      let large = try client.request(PingRequest(RawJSON(checking: Array(#"{"text":"\#(text)"}"#.utf8))))
      client.finishSending()
      for id in small { try client.result(of: id, as: Status.self) }
      let echoed: [String: RawJSON] = try client.result(of: large)
      #expect(echoed["text"]?.string == text)
      #expect(try client.ends())
    }
  }

  @Test("Many frames in one write are answered in order, and don't delay other clients")
  func manyFrames() async throws {
    try await Setting().play { stage in
      let flooder = try Client(stage)
      let other = try Client(stage)
      let count = 1000
      var bytes: [UInt8] = []
      for number in 1...count { bytes += try Message.request(id: .number(Int64(number)), StatusRequest()) }
      let sent = bytes
      // The answers don't fit: a client that sends without reading is paused until it reads.
      try flooder.send(Array(sent.prefix(16 * 1024)))
      try other.call(StatusRequest())
      try flooder.send(Array(sent.dropFirst(16 * 1024)))
      var seen: [RequestID] = []
      for _ in 0..<count {
        seen.append(try flooder.next { if case .response(let id?, _) = $0 { id } else { nil } })
      }
      #expect(seen == (1...count).map { .number(Int64($0)) })
    }
  }

  @Test("A client that doesn't read its answers is paused, delays no other client, and continues when it reads")
  func backpressure() async throws {
    try await Setting().play { stage in
      let lazy = try Client(stage)
      let other = try Client(stage)
      let text = String(repeating: "x", count: 900_000)
      let ping = PingRequest(try RawJSON(checking: Array(#"{"text":"\#(text)"}"#.utf8)))
      // Two answers exceed the bound, so the third request isn't read.
      let ids = try (0..<2).map { _ in try lazy.request(ping) }
      #expect(stage.eventually { $0.clients.server.connections.sessions.contains { $0.isPaused } })
      let last = try lazy.request(StatusRequest())
      try other.call(StatusRequest())
      for id in ids {
        let echoed: [String: RawJSON] = try lazy.result(of: id)
        #expect(echoed["text"]?.string?.utf8.count == 900_000)
      }
      try lazy.result(of: last, as: Status.self)
    }
  }

  @Test("A large answer is given to the kernel in pieces, so that most of it waits for the client's turns")
  func pieces() async throws {
    try await Setting().play { stage in
      let client = try Client(stage)
      let text = String(repeating: "x", count: 900_000)
      let id = try client.request(PingRequest(RawJSON(checking: Array(#"{"text":"\#(text)"}"#.utf8))))
      let isUnwritten = Monitor<Bool?>(nil)
      let isQueued = stage.eventually { supervisor in
        guard let out = supervisor.clients.server.connections.sessions.first?.out, out.queuedBytes > 0 else {
          return false
        }
        isUnwritten.withLock { $0 = out.isUnwritten }
        return true
      }
      #expect(isQueued)
      #expect(isUnwritten.withLock { $0 } == true)
      try client.result(of: id, as: [String: RawJSON].self)
    }
  }

  @Test(
    "When a client disconnects, its hold ends, and waits for a pass that can't start any more are answered at once (S14, S23)"
  )
  func vanishedHold() async throws {
    let barrier = Barrier()
    try await Setting(objects: { [Scripted("a", .appActive) { try barrier.enter() }] }).play { stage in
      let client = try Client(stage)
      try client.call(SubscribeRequest(topics: [.lifecycle]))
      #expect(try client.call(ActivateRequest()).pass == 2)
      try barrier.arrived()
      try client.call(DeactivateRequest())
      let holder = try Client(stage)
      #expect(try holder.call(ActivateRequest(hold: true)).pass == 3)
      let wait = try client.request(WaitRequest(for: .pass(3)))
      #expect(try client.call(StatusRequest()).holds == 1)
      holder.close()
      #expect(try client.result(of: wait, as: Status.State.self) == Status.State(.cancelled, pass: 3))
      let status: Status = try client.call(StatusRequest())
      #expect((status.holds, status.lifecycle) == (0, .known(.inactive)))
      #expect(status.initializers[0].status == .stopping)
      barrier.letGo()
      #expect(try client.call(WaitRequest(for: .pass(2))).state == .cancelled)
    }
  }

  /// An object of the supervisor, which it may free.
  private final class Weak: @unchecked Sendable {
    weak var object: AnyObject?
    var looks = 0
  }

  @Test("Nothing is kept of a subscriber that has disconnected")
  func vanishedSubscriber() async throws {
    try await Setting().play { stage in
      let client = try Client(stage)
      try client.call(SubscribeRequest(topics: [.log]))
      let kept = Weak()
      let isFound = stage.eventually { supervisor in
        kept.object = supervisor.clients.server.connections.sessions.first?.out
        return kept.object != nil
      }
      #expect(isFound)
      client.close()
      #expect(stage.eventually { $0.clients.server.connections.sessions.isEmpty })
      // A few turns later, its handle is closed.
      _ = stage.eventually { _ in
        kept.looks += 1
        return kept.object == nil || kept.looks > 100
      }
      #expect(kept.object == nil)
    }
  }

  @Test("The waits of a disconnected client are removed")
  func vanishedWaits() async throws {
    try await Setting(configure: { configuration, _ in configuration.machine.launchesAtStart = false }).play { stage in
      let client = try Client(stage)
      for _ in 0..<10 { _ = try client.request(WaitRequest(timeout: 3600)) }
      try client.call(StatusRequest())
      #expect(stage.eventually { $0.clients.waits.count == 10 })
      client.close()
      #expect(stage.eventually { $0.clients.waits.count == 0 })
    }
  }
}
