import Testing

@testable import Etcd

@Suite("HTTP")
struct HTTPTests {
  @Test("An exchange that is cancelled in its own callback calls nothing any more")
  func cancelledInOwnCallback() async throws {
    let calls = try await onLoop { loop in
      let server = try FakeEtcd(loop) { request, reply in
        reply.begin()
        for part in ["1", "2"] { reply.part(part) }
        reply.end()
      }
      let http = HTTP(loop: loop)
      let told = Told()
      var first: HTTP.Exchange?
      first = http.post(
        server.url + "/first", [],
        onData: { bytes in
          told.append("first: \(String(decoding: bytes, as: UTF8.self))")
          first?.cancel()
        },
        onEnd: { told.append("first: \($0)") })
      _ = await told.next(1)
      http.post(
        server.url + "/second", [], onData: { _ in }, onEnd: { told.append("second: \($0)") })
      return await told.next(1) + told.rest()
    }
    #expect(calls == ["second: success(200)"])
  }

  @Test("An exchange that is cancelled in another one's callback calls nothing any more")
  func cancelledInAnotherCallback() async throws {
    let calls = try await onLoop { loop in
      var held: Reply?
      let server = try FakeEtcd(loop) { request, reply in
        if request.path == "/held" { held = reply } else { reply.send(request.path) }
      }
      let http = HTTP(loop: loop)
      let told = Told()
      let exchange = http.post(
        server.url + "/held", [], onData: { _ in told.append("held: data") }, onEnd: { told.append("held: \($0)") })
      http.post(
        server.url + "/other", [], onData: { _ in },
        onEnd: {
          exchange?.cancel()
          told.append("other: \($0)")
        })
      var calls = await told.next(1)
      held?.send("late")
      http.post(server.url + "/last", [], onData: { _ in }, onEnd: { told.append("last: \($0)") })
      calls += await told.next(1)
      return await calls + told.rest()
    }
    #expect(calls == ["other: success(200)", "last: success(200)"])
  }

  @Test("Only an exchange with an authorization sends that header, and all say that they send JSON")
  func authorization() async throws {
    let tokens = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in reply.send("{}") }
      let http = HTTP(loop: loop)
      let told = Told()
      for token in ["a", nil, "b"] {
        http.post(server.url, [], authorization: token, onData: { _ in }, onEnd: { told.append("\($0)") })
        _ = await told.next(1)
      }
      #expect(server.requests.allSatisfy { $0.type == "application/json" })
      return server.requests.map(\.token)
    }
    #expect(tokens == ["a", nil, "b"])
  }

  @Test("A client that is dropped during an exchange calls nothing, and leaves nothing open")
  func dropped() async throws {
    let calls = try await onLoop { loop in
      let asked = Told()
      let server = try FakeEtcd(loop) { request, _ in asked.append(request.path) }
      let told = Told()
      var http: HTTP? = HTTP(loop: loop)
      _ = http?.post(server.url + "/x", [], onData: { _ in }, onEnd: { told.append("\($0)") })
      _ = await asked.next(1)
      http = nil
      return await told.rest()
    }
    #expect(calls.isEmpty)
  }
}
