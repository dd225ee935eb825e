import Testing

@testable import Etcd

@Suite("Etcd")
struct EtcdTests {
  /// A transaction that has been executed.
  static let done = #"{"header":{"revision":"7"},"succeeded":true}"#

  @Test("If one member doesn't answer, the next one is asked, and is the first one for the next request")
  func failOver() async throws {
    let (outcomes, asked) = try await onLoop { loop in
      let (refusing, port) = try FakeEtcd.bound()
      let broken = try FakeEtcd(loop) { _, reply in reply.close() }
      let good = try FakeEtcd(loop) { _, reply in reply.send(Self.done) }
      let etcd = Etcd(loop: loop, endpoints: ["http://127.0.0.1:\(port)", broken.url, good.url])
      var outcomes: [EtcdOutcome] = []
      for _ in 0..<2 { outcomes.append(try await etcd.transaction(if: [], then: [])) }
      withExtendedLifetime(refusing) {}
      return (outcomes, [broken.requests.count, good.requests.count])
    }
    #expect(outcomes == Array(repeating: EtcdOutcome(succeeded: true, revision: 7, found: []), count: 2))
    #expect(asked == [1, 2])
  }

  @Test(
    "A member that is unavailable, or answers something else, is passed over",
    arguments: [
      (503, #"{"error":"etcdserver: no leader","code":14}"#), (504, #"{"error":"timed out","code":4}"#), (200, "hello"),
      (200, "[]"), (502, "<html>"), (502, "{}"), (500, ""),
    ])
  func passedOver(status: Int, text: String) async throws {
    let succeeded = try await onLoop { loop in
      let bad = try FakeEtcd(loop) { _, reply in reply.send(text, status: status) }
      let good = try FakeEtcd(loop) { _, reply in reply.send(Self.done) }
      let etcd = Etcd(loop: loop, endpoints: [bad.url, good.url])
      return try await etcd.transaction(if: [], then: []).succeeded
    }
    #expect(succeeded)
  }

  @Test(
    "A refusal isn't tried elsewhere, whichever version of the gateway words it",
    arguments: [
      (400, #"{"error":"etcdserver: duplicate key given in txn request","message":"etcdserver: …","code":3}"#, 3),
      (400, #"{"code":3,"message":"etcdserver: …","details":[]}"#, 3),
      (403, #"{"error":"etcdserver: permission denied","code":7}"#, 7),
      (200, #"{"error":{"grpc_code":9,"http_code":400,"message":"etcdserver: corrupt cluster"}}"#, 9),
    ])
  func refusal(status: Int, text: String, code: Int) async throws {
    let (error, asked) = try await onLoop { loop in
      let refusing = try FakeEtcd(loop) { _, reply in reply.send(text, status: status) }
      let other = try FakeEtcd(loop) { _, reply in reply.send(Self.done) }
      let etcd = Etcd(loop: loop, endpoints: [refusing.url, other.url])
      let error = await Self.error { () async throws(EtcdError) in _ = try await etcd.transaction(if: [], then: []) }
      return (error, other.requests.count)
    }
    guard case .refused(let reason, let found) = error else { throw Unexpected("\(String(describing: error))") }
    #expect(found == code)
    #expect(reason.hasPrefix("etcdserver: "))
    #expect(asked == 0)
  }

  @Test("If all members refuse for now, that isn't a refusal: it may pass", arguments: [1, 4, 8, 14])
  func passing(code: Int) async throws {
    let (error, asked) = try await onLoop { loop in
      let answer: (FakeEtcd.Request, Reply) -> Void = { _, reply in
        reply.send(#"{"error":"etcdserver: leader changed","code":\#(code)}"#, status: 503)
      }
      let first = try FakeEtcd(loop, answer: answer)
      let second = try FakeEtcd(loop, answer: answer)
      let etcd = Etcd(loop: loop, endpoints: [first.url, second.url])
      let error = await Self.error { () async throws(EtcdError) in _ = try await etcd.keepAlive(lease: 5) }
      return (error, first.requests.count + second.requests.count)
    }
    #expect(error == .unreachable("etcdserver: leader changed"))
    #expect(asked == 2)
  }

  @Test("A member that says nothing is given up after a while")
  func timeOut() async throws {
    let error = try await onLoop { loop in
      let silent = try FakeEtcd(loop) { _, _ in }
      let etcd = Etcd(loop: loop, endpoints: [silent.url], patience: .milliseconds(50))
      return await Self.error { () async throws(EtcdError) in _ = try await etcd.grantLease(seconds: 5) }
    }
    guard case .unreachable(let reason) = error else { throw Unexpected("\(String(describing: error))") }
    #expect(reason.contains("timed out"))
  }

  @Test("If the only member's answer isn't JSON, that is reported with its URL")
  func notJSON() async throws {
    let (error, url) = try await onLoop { loop in
      let bad = try FakeEtcd(loop) { _, reply in reply.send("<html>") }
      let etcd = Etcd(loop: loop, endpoints: [bad.url])
      let error = await Self.error { () async throws(EtcdError) in _ = try await etcd.grantLease(seconds: 5) }
      return (error, bad.url)
    }
    #expect(error == .unreachable("\(url): its answer isn't etcd's JSON"))
  }

  @Test("A reason that isn't JSON is reported with the status")
  func plainReason() async throws {
    let (error, url) = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in
        reply.send("CommonName of client will be ignored\n", status: 400)
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url])
      let error = await Self.error { () async throws(EtcdError) in _ = try await etcd.grantLease(seconds: 5) }
      return (error, server.url)
    }
    #expect(error == .unreachable("\(url): HTTP status 400: CommonName of client will be ignored"))
  }

  @Test("A transaction returns what its gets have found, in order")
  func found() async throws {
    let (outcome, request) = try await onLoop { loop in
      // "k" and "v" in Base64.
      let entry = #"{"key":"aw==","value":"dg==","create_revision":"3","mod_revision":"4","lease":"5"}"#
      let text =
        #"{"header":{"revision":"9"},"responses":[{"response_range":{"kvs":[\#(entry)]}},{"response_range":{}}]}"#
      let server = try FakeEtcd(loop) { _, reply in reply.send(text) }
      let etcd = Etcd(loop: loop, endpoints: [server.url])
      let outcome = try await etcd.transaction(if: [.absent("k")], then: [], else: [.get("k"), .get("l")])
      return (outcome, server.requests.first)
    }
    let entry = EtcdEntry(key: "k", value: [UInt8(ascii: "v")], created: 3, modified: 4, lease: 5)
    #expect(outcome == EtcdOutcome(succeeded: false, revision: 9, found: [entry, nil]))
    #expect(request?.path == "/v3/kv/txn")
    #expect(request?.token == nil)
  }

  /// The error of a request.
  static func error(_ body: () async throws(EtcdError) -> Void) async -> EtcdError? {
    do throws(EtcdError) {
      try await body()
      return nil
    } catch {
      return error
    }
  }
}
