import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("Stream.connect")
struct StreamConnectTests {
  let directory = TemporaryDirectory()

  @Test("A connection carries bytes both ways")
  func connects() async throws {
    let path = directory["s"]
    let answer = try await play(String.self) { scene in
      scene.keep(
        try Listener(loop: scene.loop, path: path) { connection, _ in
          guard let server = try? Stream(loop: scene.loop, descriptor: connection) else { return }
          scene.keep(server).onRead = { [unowned server] in server.write(Array($0).reversed()) }
          server.resumeReading()
        })
      let client = scene.keep(try Stream.connect(loop: scene.loop, path: path))
      client.onRead = { scene.finish(String(decoding: $0, as: UTF8.self)) }
      client.resumeReading()
      client.write(Array("abc".utf8))
    }
    #expect(answer == "cba")
  }

  @Test("The reasons why a connection fails are different errors")
  func errors() async throws {
    let stale = directory["stale"]
    do {
      let socket = try Descriptor.boundUnixSocket(try #require(SocketAddress(path: stale)), mode: 0o600)
      #expect(listen(socket.number, 1) == 0)
    }
    let busy = directory["busy"]
    let address = try #require(SocketAddress(path: busy))
    let socket = try Descriptor.boundUnixSocket(address, mode: 0o600)
    #expect(listen(socket.number, 0) == 0)
    var waiting: [Descriptor] = []
    repeat { waiting.append(try Descriptor.unixSocket()) } while address.connect(waiting[waiting.count - 1]) == 0
    let long = directory[String(repeating: "x", count: 150)]

    #expect(try await failure(directory["none"]) == .notFound(path: directory["none"]))
    #expect(try await failure(stale) == .refused(path: stale))
    #expect(try await failure(busy) == .busy(path: busy))
    #expect(try await failure(long) == .pathUnusable(path: long, maximum: 107))
    #expect(try await failure(directory.write("file", "")) == .refused(path: directory["file"]))
  }

  private func failure(_ path: String) async throws -> ConnectError? {
    try await play(ConnectError?.self) { scene in
      do throws(ConnectError) {
        _ = try Stream.connect(loop: scene.loop, path: path)
        scene.finish(nil)
      } catch { scene.finish(error) }
    }
  }
}
