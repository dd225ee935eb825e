import EventLoop
import Testing

@testable import Etcd

@Suite("Etcd's authentication")
struct EtcdAuthenticationTests {
  private static let user = Etcd.User(name: "shop", password: #"p"w\"#)

  /// A server with users: its tokens are t1, t2 and so on, and it answers all else as `answer` says.
  private static func server(
    _ loop: Loop, answer: @escaping (FakeEtcd.Request, Reply) -> Void
  ) throws -> FakeEtcd {
    var tokens = 0
    return try FakeEtcd(loop) { request, reply in
      guard request.path == "/v3/auth/authenticate" else { return answer(request, reply) }
      tokens += 1
      reply.send(#"{"header":{},"token":"t\#(tokens)"}"#)
    }
  }

  private static let invalid = #"{"error":"etcdserver: invalid auth token","code":16}"#

  @Test("The first request authenticates, and all requests and watches have the token")
  func token() async throws {
    let requests = try await onLoop { loop in
      let server = try Self.server(loop) { request, reply in
        guard request.path == "/v3/watch" else { return reply.send(EtcdTests.done) }
        reply.begin()
        reply.part(EtcdWatchTests.put + "\n")
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      let told = Told()
      _ = try await etcd.transaction(if: [], then: [])
      let watch = await EtcdWatchTests.watch(etcd, told)
      _ = await told.next(1)
      watch.cancel()
      _ = try await etcd.keepAlive(lease: 1)
      return server.requests
    }
    #expect(
      requests.map(\.description) == [
        "/v3/auth/authenticate", "/v3/kv/txn with t1", "/v3/watch with t1", "/v3/lease/keepalive with t1",
      ])
    #expect(requests.first?.body == #"{"name":"shop","password":"p\"w\\"}"#)
  }

  @Test(
    "If etcd doesn't accept the token any more, the request is sent again with a new one",
    arguments: [
      invalid, #"{"code":16,"message":"etcdserver: invalid auth token","details":[]}"#,
      #"{"error":"etcdserver: revision of auth store is old","code":3}"#,
      #"{"error":"etcdserver: user name is empty","code":3}"#,
    ])
  func invalidToken(refusal: String) async throws {
    let requests = try await onLoop { loop in
      let server = try Self.server(loop) { request, reply in
        if request.token == "t2" { reply.send(EtcdTests.done) } else { reply.send(refusal, status: 400) }
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      for _ in 0..<2 { _ = try await etcd.transaction(if: [], then: []) }
      return server.requests.map(\.description)
    }
    #expect(
      requests == [
        "/v3/auth/authenticate", "/v3/kv/txn with t1", "/v3/auth/authenticate", "/v3/kv/txn with t2",
        "/v3/kv/txn with t2",
      ])
  }

  @Test("If etcd doesn't accept the new token either, the request fails")
  func onlyOnce() async throws {
    let (error, requests) = try await onLoop { loop in
      let server = try Self.server(loop) { _, reply in reply.send(Self.invalid, status: 401) }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      let error = await EtcdTests.error { () async throws(EtcdError) in _ = try await etcd.grantLease(seconds: 5) }
      return (error, server.requests.map(\.description))
    }
    #expect(error == .refused("etcdserver: invalid auth token", code: 16))
    #expect(
      requests == [
        "/v3/auth/authenticate", "/v3/lease/grant with t1", "/v3/auth/authenticate", "/v3/lease/grant with t2",
      ])
  }

  @Test("Requests at the same time share one authentication, at first and when the token is refused")
  func shared() async throws {
    let requests = try await onLoop { loop in
      var held: [Reply] = []
      let server = try Self.server(loop) { request, reply in
        guard request.token == "t1" else { return reply.send(EtcdTests.done) }
        held.append(reply)
        // Both have the first token when it is refused.
        if held.count == 2 { for each in held { each.send(Self.invalid, status: 401) } }
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      async let one = etcd.transaction(if: [], then: [])
      async let two = etcd.transaction(if: [], then: [])
      _ = try await (one, two)
      return server.requests.map(\.description)
    }
    #expect(requests.filter { $0 == "/v3/auth/authenticate" }.count == 2)
    #expect(requests.filter { $0 == "/v3/kv/txn with t1" }.count == 2)
    #expect(requests.filter { $0 == "/v3/kv/txn with t2" }.count == 2)
  }

  @Test("A wrong password is a denial that names the user, and no request is sent without a token")
  func wrongPassword() async throws {
    let (error, requests) = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in
        reply.send(
          #"{"error":"etcdserver: authentication failed, invalid user ID or password","code":3}"#, status: 400)
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      let error = await EtcdTests.error { () async throws(EtcdError) in _ = try await etcd.grantLease(seconds: 5) }
      return (error, server.requests.map(\.description))
    }
    #expect(error?.isDenied == true)
    #expect(error?.description == #"etcd refused: the user "shop" doesn't exist, or the password is wrong"#)
    #expect(requests == ["/v3/auth/authenticate"])
  }

  @Test("A wrong password isn't sent again at once, but after a while", arguments: [Duration.seconds(3600), .zero])
  func denialIsRemembered(pause: Duration) async throws {
    let requests = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in reply.send(Self.invalid, status: 401) }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      await etcd.pauseAfterDenial(pause)
      for _ in 0..<2 {
        let error = await EtcdTests.error { () async throws(EtcdError) in _ = try await etcd.grantLease(seconds: 5) }
        #expect(error?.isDenied == true)
      }
      return server.requests.map(\.description)
    }
    #expect(requests == Array(repeating: "/v3/auth/authenticate", count: pause == .zero ? 2 : 1))
  }

  @Test("A token that would begin another header isn't used")
  func badToken() async throws {
    let (error, requests) = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in reply.send(#"{"token":"t1\r\nX: y"}"#) }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      let error = await EtcdTests.error { () async throws(EtcdError) in _ = try await etcd.grantLease(seconds: 5) }
      return (error, server.requests.count)
    }
    #expect(error == .refused("its token isn't one", code: 0))
    #expect(requests == 1)
  }

  @Test("Without authentication in etcd, a user needs no token until it is enabled")
  func notEnabled() async throws {
    let requests = try await onLoop { loop in
      var isEnabled = false
      let server = try FakeEtcd(loop) { request, reply in
        switch (request.path, request.token) {
        case ("/v3/auth/authenticate", _) where isEnabled: reply.send(#"{"token":"t1"}"#)
        case ("/v3/auth/authenticate", _):
          reply.send(#"{"error":"etcdserver: authentication is not enabled","code":9}"#, status: 400)
        case (_, nil) where isEnabled:
          reply.send(#"{"error":"etcdserver: user name is empty","code":3}"#, status: 400)
        default:
          isEnabled = true
          reply.send(EtcdTests.done)
        }
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      for _ in 0..<2 { _ = try await etcd.transaction(if: [], then: []) }
      return server.requests.map(\.description)
    }
    #expect(
      requests == [
        "/v3/auth/authenticate", "/v3/kv/txn", "/v3/kv/txn", "/v3/auth/authenticate", "/v3/kv/txn with t1",
      ])
  }

  @Test("If etcd requires a user and none is given, that is a denial")
  func noUser() async throws {
    let (error, requests) = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in
        reply.send(#"{"error":"etcdserver: user name is empty","code":3}"#, status: 400)
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url])
      let error = await EtcdTests.error { () async throws(EtcdError) in
        _ = try await etcd.transaction(if: [], then: [])
      }
      return (error, server.requests.count)
    }
    #expect(error?.isDenied == true)
    #expect(error?.description == "etcd refused: it requires a user")
    #expect(requests == 1)
  }

  @Test(
    "A watch whose token is refused begins again with a new one, once",
    arguments: [
      (200, #"{"error":{"grpc_code":16,"message":"etcdserver: invalid auth token"}}"#),
      // etcd 3.4
      (200, #"{"result":{"canceled":true,"cancel_reason":"… desc = etcdserver: invalid auth token"}}"#), (401, invalid),
    ])
  func watch(status: Int, refusal: String) async throws {
    let (told, requests) = try await onLoop { loop in
      let server = try Self.server(loop) { request, reply in
        guard status == 200 || request.token == "t2" else { return reply.send(refusal, status: status) }
        reply.begin()
        // Nothing behind the refusal counts.
        reply.part((request.token == "t2" ? "" : refusal + "\n") + EtcdWatchTests.put + "\n")
        reply.end()
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      let told = Told()
      let watch = await EtcdWatchTests.watch(etcd, told)
      var found = await told.next(2)
      await etcd.forgetToken()
      let other = await EtcdWatchTests.watch(etcd, told)
      found += await told.next(1)
      withExtendedLifetime((watch, other)) {}
      return (await found + told.rest(), server.requests.map(\.description))
    }
    #expect(
      told.dropLast() == ["put k at 4", "end: etcd can't be reached: the watch has ended"])
    #expect(told.last?.hasSuffix("etcdserver: invalid auth token") == true)
    let once = ["/v3/auth/authenticate", "/v3/watch with t1", "/v3/auth/authenticate", "/v3/watch with t2"]
    #expect(
      requests == once + ["/v3/auth/authenticate", "/v3/watch with t3", "/v3/auth/authenticate", "/v3/watch with t4"])
  }

  @Test("A watch that can't authenticate ends with the reason")
  func watchDenied() async throws {
    let told = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in reply.send(Self.invalid, status: 401) }
      let etcd = Etcd(loop: loop, endpoints: [server.url], user: Self.user)
      let told = Told()
      let watch = await EtcdWatchTests.watch(etcd, told)
      let found = await told.next(1)
      withExtendedLifetime(watch) {}
      return await found + told.rest()
    }
    #expect(told == [#"end: etcd refused: the user "shop" doesn't exist, or the password is wrong"#])
  }
}

extension Etcd {
  fileprivate func forgetToken() { token = nil }
  fileprivate func pauseAfterDenial(_ pause: Duration) { pauseAfterDenial = pause }
}
