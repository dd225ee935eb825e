import Etcd
import Testing

@Suite("A client of etcd")
@FleetActor struct EtcdClientTests {
  @Test("Transactions create, compare, read and delete keys")
  func transactions() async throws {
    let etcd = try await EtcdServer.start()
    let client = try etcd.client()
    let created = try await client.transaction(if: [.absent("k")], then: [.put("k", Array("v".utf8), lease: 0)])
    #expect(created.succeeded)
    let second = try await client.transaction(
      if: [.absent("k")], then: [.put("k", [], lease: 0)], else: [.get("k"), .get("none")])
    #expect(!second.succeeded)
    #expect(second.found(0)?.value == Array("v".utf8))
    #expect(second.found(0)?.created == created.revision)
    #expect(second.found(1) == nil)
    let deleted = try await client.transaction(if: [.created("k", at: created.revision)], then: [.delete("k")])
    #expect(deleted.succeeded)
    #expect(try await client.list(EtcdRange(prefix: "k")).entries == [])
  }

  @Test("A range of more keys than an answer has is read as it was at one revision")
  func pages() async throws {
    let etcd = try await EtcdServer.start()
    let client = try etcd.client()
    for page in 0..<21 {
      _ = try await client.transaction(
        if: [], then: (0..<100).map { .put("k \(page * 100 + $0)", [], lease: 0) })
    }
    let (entries, revision) = try await client.list(EtcdRange(prefix: "k "))
    #expect(entries.count == 2100)
    #expect(Set(entries.map(\.key)).count == 2100)
    #expect(entries.map(\.modified).max() == revision)
  }

  @Test("A range of more bytes than an answer may have is read")
  func largePages() async throws {
    let etcd = try await EtcdServer.start()
    let client = try etcd.client()
    let value = [UInt8](repeating: 1, count: 60 << 10)
    for number in 0..<100 {
      _ = try await client.transaction(if: [], then: [.put("l \(number)", value, lease: 0)])
    }
    let (entries, _) = try await client.list(EtcdRange(prefix: "l "))
    #expect(entries.count == 100 && entries.allSatisfy { $0.value == value })
  }

  @Test("A watch has all changes of its keys since a revision, in order")
  func watch() async throws {
    let etcd = try await EtcdServer.start()
    let client = try etcd.client()
    let first = try await client.transaction(if: [], then: [.put("w 1", [1], lease: 0)]).revision
    _ = try await client.transaction(if: [], then: [.put("other", [], lease: 0)])
    var watch = client.watch(EtcdRange(prefix: "w "), from: first).makeAsyncIterator()
    guard case .put(let entry)? = try await watch.next(isolation: #isolation)?.first else {
      Issue.record("no first change")
      return
    }
    #expect(entry.key == "w 1" && entry.value == [1] && entry.created == first)
    let last = try await client.transaction(if: [], then: [.delete("w 1")]).revision
    #expect(try await watch.next(isolation: #isolation) == [.deleted(key: "w 1", revision: last)])
  }

  @Test("A lease is renewed over one stream, and its end deletes its keys")
  func leases() async throws {
    let etcd = try await EtcdServer.start()
    let client = try etcd.client()
    let lease = try await client.grantLease(seconds: 60)
    _ = try await client.transaction(if: [], then: [.put("l", [], lease: lease)])
    let (demands, demand) = AsyncStream<Void>.makeStream()
    var answers: [Int] = []
    demand.yield()
    try await client.keepAlive(lease: lease, on: demands) { _, seconds in
      answers.append(seconds)
      if answers.count < 3 { demand.yield() } else { demand.finish() }
    }
    #expect(answers == [60, 60, 60])
    try await client.revoke(lease: lease)
    #expect(try await client.list(EtcdRange(prefix: "l")).entries == [])
  }

  @Test("A renewal counts from its sending, however late its answer comes")
  func lateAnswer() async throws {
    let etcd = try await EtcdServer.start()
    let client = try etcd.client()
    let lease = try await client.grantLease(seconds: 60)
    etcd.suspend()
    let before = ContinuousClock.now
    var isDemanded = false
    var resumed: ContinuousClock.Instant?
    let (waiting, answered) = AsyncStream<Never>.makeStream()
    let demands = AsyncStream<Void> { @FleetActor in
      guard isDemanded else {
        isDemanded = true
        return ()
      }
      // The first renewal is sent.
      resumed = .now
      etcd.resume()
      for await _ in waiting {}
      return nil
    }
    try await client.keepAlive(lease: lease, on: demands) { sent, seconds in
      #expect(seconds == 60)
      #expect(resumed.map { before <= sent && sent <= $0 } == true)
      answered.finish()
    }
    #expect(resumed != nil)
  }

  @Test("A stream to a chosen member still answers when another member is asked first")
  func chosenMember() async throws {
    let (first, second) = (try await EtcdServer.start(), try await EtcdServer.start())
    let client = try EtcdClient(endpoints: [first.endpoint, second.endpoint])
    let lease = try await client.grantLease(seconds: 60)
    let (demands, demand) = AsyncStream<Void>.makeStream()
    demand.yield()
    var answers = 0
    try await client.keepAlive(lease: lease, at: 0, on: demands) { _, seconds in
      #expect(seconds == 60)
      answers += 1
      client.prefer(1)
      if answers < 2 { demand.yield() } else { demand.finish() }
    }
    #expect(answers == 2)
    #expect(client.first == 1)
  }

  @Test("An ended lease is renewed for zero seconds, and refused elsewhere as such")
  func endedLease() async throws {
    let etcd = try await EtcdServer.start()
    let client = try etcd.client()
    let (demands, demand) = AsyncStream<Void>.makeStream()
    demand.yield()
    try await client.keepAlive(lease: 4711, on: demands) { _, seconds in
      #expect(seconds == 0)
      demand.finish()
    }
    let error = await #expect(throws: EtcdError.self) {
      try await client.transaction(if: [], then: [.put("l", [], lease: 4711)])
    }
    #expect(error == .refused("requested lease not found", .noLease))
  }

  @Test("If a member doesn't answer, the next one is asked, and streams move to it")
  func failOver() async throws {
    // The endpoints are two clusters of one member each: the client can't see the difference.
    let (first, second) = (try await EtcdServer.start(), try await EtcdServer.start())
    let client = try EtcdClient(endpoints: [first.endpoint, second.endpoint])
    _ = try await client.transaction(if: [], then: [.put("k", [1], lease: 0)])
    var watch = client.watch(EtcdRange(prefix: "k"), from: 1).makeAsyncIterator()
    #expect(try await watch.next(isolation: #isolation) != nil)
    first.kill()
    let outcome = try await client.transaction(if: [.absent("k")], then: [])
    #expect(outcome.succeeded)
    await #expect(throws: EtcdError.self) { _ = try await watch.next(isolation: #isolation) }
  }

  @Test("At a member that has lost its leader, a watch ends, and the next member is asked", .timeLimit(.minutes(1)))
  func lostLeader() async throws {
    let (cluster, other) = (try await EtcdServer.startCluster(), try await EtcdServer.start())
    let client = try EtcdClient(endpoints: [cluster[0].endpoint, other.endpoint])
    _ = try await client.transaction(if: [], then: [.put("k", [1], lease: 0)])
    var watch = client.watch(EtcdRange(prefix: "k"), from: 1).makeAsyncIterator()
    #expect(try await watch.next(isolation: #isolation) != nil)
    for member in cluster[1...] { member.stop() }
    let error = await #expect(throws: EtcdError.self) { _ = try await watch.next(isolation: #isolation) }
    #expect(error?.description.contains("it has no leader") == true)
    #expect(try await client.list(EtcdRange(prefix: "k")).entries == [])
  }

  @Test("A request that a member refuses isn't sent to another one")
  func refusal() async throws {
    let (first, second) = (try await EtcdServer.start(), try await EtcdServer.start())
    // Only the second cluster would accept the lease.
    let lease = try await second.client().grantLease(seconds: 60)
    let client = try EtcdClient(endpoints: [first.endpoint, second.endpoint])
    let error = await #expect(throws: EtcdError.self) {
      try await client.transaction(if: [], then: [.put("k", [], lease: lease)])
    }
    #expect(error == .refused("requested lease not found", .noLease))
  }

  @Test("Without etcd, the reason names the endpoint")
  func unreachable() async throws {
    let port = try EtcdServer.freePort()
    let client = try EtcdClient(endpoints: [EtcdServer.endpoint(port)])
    let error = await #expect(throws: EtcdError.self) { try await client.list(EtcdRange(prefix: "k")) }
    #expect(error?.isUnreachable == true)
    #expect(error?.description.contains("http://127.0.0.1:\(port): ") == true)
  }

  @Test(
    "URLs",
    arguments: [
      ("http://a:1", "a", 1), ("https://a", "a", 2379), ("http://[::1]:5", "::1", 5),
      ("http://127.0.0.1:2379", "127.0.0.1", 2379),
    ] as [(String, String, Int)])
  func urls(url: String, host: String, port: Int) throws {
    let endpoint = try #require(EtcdEndpoint(url))
    #expect(endpoint.host == host && endpoint.port == port && endpoint.isSecure == url.hasPrefix("https"))
  }

  @Test("What is no URL", arguments: ["", "a:1", "ftp://a:1", "http://", "http://a:x", "http://a:70000", "http://a/b"])
  func noURLs(url: String) { #expect(EtcdEndpoint(url) == nil) }
}
