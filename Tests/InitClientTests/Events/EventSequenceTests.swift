import InitJSON
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitClient

struct SubscriptionTests {
  private static func pass(_ number: Int) -> Status.Event.Body {
    .pass(Status.Event.PassChange(pass: number, phase: .launch, status: .started))
  }

  /// Returns all values of an iterator until it ends.
  private func all(_ subscription: EventSequence) async throws -> [Status.Event] {
    var events: [Status.Event] = []
    for try await event in subscription { events.append(event.params) }
    return events
  }

  @Test("Events follow the snapshot in order, unchanged, up to the event shutdown (§5)")
  func order() async throws {
    let (snapshot, events) = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let (id, request) = try peer.expect(SubscribeRequest.self)
      guard request == SubscribeRequest(topics: [.pass]) else { throw Unexpected("\(request)") }
      try peer.event(1, Self.pass(1))
      try peer.answer(id, SubscribeRequest.Result(snapshot: .fake(seq: 2)))
      for seq in 3...100 { try peer.event(seq, Self.pass(seq)) }
      try peer.send("\"method\":\"event\",\"params\":{\"seq\":101,\"topic\":\"new\",\"more\":[1,2]}")
      try peer.event(unnumbered: .shutdown)
      peer.close()
    } _: { path in
      let subscription = try await Client.test(path).subscribe(to: [.pass])
      var events: [ReceivedEvent] = []
      for try await event in subscription { events.append(event) }
      return (subscription.snapshot, events)
    }
    #expect(snapshot.params.body == .snapshot(.fake(seq: 2)))
    #expect(try RawJSON(checking: Array(snapshot.text)).read(Status.Event.self) == snapshot.params)
    #expect(events.compactMap(\.params.seq) == Array(3...101))
    #expect(events.last?.params.body == .shutdown)
    let unknown = events.first { $0.params.seq == 101 }
    #expect(
      unknown.map { String(decoding: $0.text, as: UTF8.self) } == "{\"seq\":101,\"topic\":\"new\",\"more\":[1,2]}"
    )
  }

  @Test("A connection lost without the event shutdown is an error, after the received events")
  func lost() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(SubscribeRequest.self, SubscribeRequest.Result(snapshot: .fake()))
      try peer.event(1, Self.pass(1))
      peer.close()
    } _: { path in
      let subscription = try await Client.test(path).subscribe(to: [.pass])
      var iterator = subscription.makeAsyncIterator()
      #expect(try await iterator.next()?.params.seq == 1)
      await #expect(throws: ClientError.lost(path: path, reason: "the supervisor closed it")) {
        try await iterator.next()
      }
    }
  }

  @Test("A second subscription replaces the first, which ends (§4)")
  func replaced() async throws {
    let (first, second) = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(SubscribeRequest.self, SubscribeRequest.Result(snapshot: .fake()))
      let (id, _) = try peer.expect(SubscribeRequest.self)
      try peer.answer(id, SubscribeRequest.Result(snapshot: .fake(seq: 1)))
      try peer.event(2, Self.pass(2))
      try peer.reply(UnsubscribeRequest.self, EmptyResult())
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      let first = try await client.subscribe(to: [.pass])
      let firstEvents = Task { try await all(first) }
      let second = try await client.subscribe(to: [.pass])
      var iterator = second.makeAsyncIterator()
      let event = try await iterator.next()
      try await client.unsubscribe()
      #expect(try await iterator.next() == nil)
      await client.close()
      return (try await firstEvents.value, event)
    }
    #expect(first == [])
    #expect(second?.params.seq == 2)
  }

  @Test("A reader whose task is cancelled stops waiting")
  func cancelled() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(SubscribeRequest.self, SubscribeRequest.Result(snapshot: .fake()))
      try peer.expectEnd()
    } _: { path in
      let client = try await Client.test(path)
      let subscription = try await client.subscribe()
      let reading = Task { try await all(subscription) }
      reading.cancel()
      await #expect(throws: ClientError.cancelled) { try await reading.value }
      await client.close()
    }
  }

  @Test(
    "A slow reader gets the first events, the number of dropped ones, a snapshot, and the events after it (§5)")
  func lagged() async throws {
    let filler = String(repeating: "x", count: 64 * 1024)
    let gate = try Gate()
    let events = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(SubscribeRequest.self, SubscribeRequest.Result(snapshot: .fake()))
      for seq in 1...40 {
        try peer.event(seq, .log(LogLine(time: 1, initializer: "a", run: 1, stream: .stdout, line: filler)))
      }
      try peer.reply(PingRequest.self, PingRequest())
      let status = try peer.expect(StatusRequest.self)
      // The snapshot contains the first one, but not the second.
      try peer.event(41, Self.pass(1))
      try peer.event(42, Self.pass(2))
      try peer.answer(status.id, Status.fake(seq: 41))
      try peer.event(unnumbered: .shutdown)
      try gate.wait()
      peer.close()
    } _: { path in
      let client = try await Client.test(path)
      let subscription = try await client.subscribe(to: [.log, .pass])
      // The answer follows all lines.
      _ = try await client.send(PingRequest())
      var events: [Status.Event] = []
      for try await event in subscription {
        events.append(event.params)
        if event.params.body == .shutdown { gate.open() }
      }
      return events
    }
    let kept = events.prefix { $0.seq != nil }.compactMap(\.seq)
    #expect(kept == Array(1...kept.count) && kept.count < 40)
    #expect(
      events.dropFirst(kept.count).map(\.body) == [
        .lagged(dropped: 40 - kept.count), .snapshot(.fake(seq: 41)), Self.pass(2), .shutdown,
      ])
  }

  @Test("Following the logs has no gaps and no duplicates")
  func followLogs() async throws {
    let lines = (1...4).map {
      LogLine(time: 1, initializer: "a", run: 1, stream: .stdout, line: "line \($0)")
    }
    let seen = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(SubscribeRequest.self, SubscribeRequest.Result(snapshot: .fake()))
      let logs = try peer.expect(LogsRequest.self)
      // Written between the subscription and the answer, so it is in both.
      try peer.event(1, .log(lines[1]))
      var bytes = try Message.answer(id: logs.id, result: LogsRequest.Result(lines: Array(lines[...1])))
      // Sent directly after the answer, in the same write.
      bytes += try Message.notification(Status.Event(seq: 2, time: 1, body: .log(lines[2])))
      bytes += try Message.notification(Status.Event(seq: 3, time: 1, body: .log(lines[3])))
      try peer.write(bytes)
      try peer.event(unnumbered: .shutdown)
      peer.close()
    } _: { path in
      let (first, following) = try await Client.test(path).followLogs()
      var seen = first.lines
      for try await event in following {
        if case .log(let line) = event.params.body { seen.append(line) }
      }
      return seen
    }
    #expect(seen == lines)
  }
}
