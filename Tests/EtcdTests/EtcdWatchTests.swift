import EventLoop
import Testing

@testable import Etcd

@Suite("Etcd's watches")
struct EtcdWatchTests {
  /// The change of "k" to "v".
  static let put =
    #"{"result":{"events":[{"kv":{"key":"aw==","value":"dg==","create_revision":"3","mod_revision":"4"}}]}}"#
  /// The deletion of "k".
  static let deletion = #"{"result":{"events":[{"type":"DELETE","kv":{"key":"aw==","mod_revision":"5"}}]}}"#

  /// Watches "k" from revision 3.
  static func watch(_ etcd: Etcd, _ told: Told) async -> EtcdWatch {
    await etcd.watch(
      EtcdRange(prefix: "k"), from: 3,
      onEvents: { events in
        for event in events {
          switch event {
          case .put(let entry): told.append("put \(entry.key) at \(entry.modified)")
          case .deleted(let key, let revision): told.append("deleted \(key) at \(revision)")
          }
        }
      }, onEnd: { told.append("end: \($0)") })
  }

  @Test("A line that arrives in pieces is read when it is complete, and several lines in one piece are all read")
  func pieces() async throws {
    let told = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in
        reply.begin()
        for byte in #"{"result":{"created":true}}"# + "\n" + Self.put { reply.part(String(byte)) }
        reply.part("\n\(Self.deletion)\n\(Self.put)\n")
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url])
      let told = Told()
      let watch = await Self.watch(etcd, told)
      let found = await told.next(3)
      watch.cancel()
      return await found + told.rest()
    }
    #expect(told == ["put k at 4", "deleted k at 5", "put k at 4"])
  }

  @Test("If a member doesn't answer a request, the watches on it end: they would be silent too")
  func silent() async throws {
    let (told, url) = try await onLoop { loop in
      let first = try FakeEtcd(loop) { request, reply in
        guard request.path == "/v3/watch" else { return }
        reply.begin()
        reply.part(Self.put + "\n")
      }
      let second = try FakeEtcd(loop) { _, reply in reply.send(EtcdTests.done) }
      let etcd = Etcd(loop: loop, endpoints: [first.url, second.url], patience: .milliseconds(50))
      let told = Told()
      _ = await Self.watch(etcd, told)
      var found = await told.next(1)
      _ = try await etcd.transaction(if: [], then: [])
      found += await told.next(1)
      return (found, first.url)
    }
    #expect(told.first == "put k at 4")
    #expect(told.last?.hasPrefix("end: etcd can't be reached: \(url): ") == true)
  }

  @Test("A watch whose connection ends is told that once, and the next request asks another member")
  func ends() async throws {
    let (told, asked) = try await onLoop { loop in
      var reply: Reply?
      let first = try FakeEtcd(loop) { request, its in
        its.begin()
        its.part(Self.put + "\n")
        reply = its
      }
      let second = try FakeEtcd(loop) { _, reply in reply.send(EtcdTests.done) }
      let etcd = Etcd(loop: loop, endpoints: [first.url, second.url])
      let told = Told()
      let watch = await Self.watch(etcd, told)
      var found = await told.next(1)
      reply?.end()
      found += await told.next(1)
      _ = try await etcd.transaction(if: [], then: [])
      withExtendedLifetime(watch) {}
      return (await found + told.rest(), second.requests.count)
    }
    #expect(told == ["put k at 4", "end: etcd can't be reached: the watch has ended"])
    #expect(asked == 1)
  }

  @Test(
    "A watch that etcd refuses or cancels ends with the reason",
    arguments: [
      (#"{"result":{"canceled":true,"cancel_reason":"compacted"}}"#, "etcd refused: compacted"),
      (#"{"error":{"grpc_code":11,"message":"out of range"}}"#, "etcd refused: out of range"),
      ("hello", "etcd refused: its answer isn't JSON"), ("[]", "etcd refused: its answer isn't etcd's JSON"),
    ])
  func refused(line: String, reason: String) async throws {
    let told = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in
        reply.begin()
        reply.part(line + "\n" + Self.put + "\n")
        reply.end()
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url])
      let told = Told()
      let watch = await Self.watch(etcd, told)
      let found = await told.next(1)
      withExtendedLifetime(watch) {}
      return await found + told.rest()
    }
    #expect(told == ["end: " + reason])
  }

  @Test("A watch that is cancelled when it reports a change reports nothing more")
  func cancelledInCallback() async throws {
    let told = try await onLoop { loop in
      let server = try FakeEtcd(loop) { request, reply in
        guard request.path == "/v3/watch" else { return reply.send(EtcdTests.done) }
        reply.begin()
        reply.part(Self.put + "\n" + Self.deletion + "\n")
        reply.end()
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url])
      let told = Told()
      let held = Held()
      held.watch = await etcd.watch(
        EtcdRange(prefix: "k"), from: 3,
        onEvents: { _ in
          told.append("events")
          held.watch?.cancel()
        }, onEnd: { told.append("end: \($0)") })
      let found = await told.next(1)
      _ = try await etcd.transaction(if: [], then: [])
      return await found + told.rest()
    }
    #expect(told == ["events"])
  }

  @Test("It asks for all keys with the prefix, from the revision")
  func request() async throws {
    let body = try await onLoop { loop in
      let server = try FakeEtcd(loop) { _, reply in
        reply.begin()
        reply.part(Self.put + "\n")
      }
      let etcd = Etcd(loop: loop, endpoints: [server.url])
      let told = Told()
      let watch = await Self.watch(etcd, told)
      _ = await told.next(1)
      watch.cancel()
      return server.requests.first?.body
    }
    // "k" and "l".
    #expect(body == #"{"create_request":{"key":"aw==","range_end":"bA==","start_revision":"3"}}"#)
  }

  /// Used on the loop's thread.
  private final class Held: @unchecked Sendable {
    var watch: EtcdWatch?
  }
}
