import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import InitProcesses
@testable import Platform

@Suite("Datagrams")
struct DatagramsTests {
  let directory = TemporaryDirectory()

  @Test("Datagrams arrive complete and in order, even empty ones; one that is too long is dropped")
  func messages() async throws {
    let path = directory["notify"]
    let sizes = try await play([Int].self) { scene in
      var sizes: [Int] = []
      scene.keep(
        try Datagrams(loop: scene.loop, path: path) {
          sizes.append($0.count)
          if $0 == Array("READY=1".utf8) { scene.finish(sizes) }
        })
      let sender = scene.keep(try #require(connect(to: path, datagram: true)))
      for text in ["", String(repeating: "x", count: 4096), String(repeating: "x", count: 4097), "READY=1"] {
        sender.send(text)
      }
    }
    #expect(sizes == [0, 4096, 7])
  }

  @Test("A moved socket has only its new path, and draining reads queued datagrams")
  func moving() async throws {
    let old = directory["old"]
    let new = directory["new"]
    let (received, isOldThere) = try await play(([String], Bool).self) { scene in
      var received: [String] = []
      let socket = try Datagrams(loop: scene.loop, path: old) { received.append(String(decoding: $0, as: UTF8.self)) }
      scene.keep(socket)
      connect(to: old, datagram: true)?.send("before")
      try socket.move(to: new)
      let isOldThere = connect(to: old, datagram: true) != nil
      for number in 0..<3 { connect(to: new, datagram: true)?.send("\(number)") }
      socket.drain()
      socket.onMessage = nil
      connect(to: new, datagram: true)?.send("dropped")
      socket.drain()
      scene.finish((received, isOldThere))
    }
    #expect(received == ["before", "0", "1", "2"])
    #expect(!isOldThere)
    #expect(directory.names.isEmpty)
  }

  @Test("A turn takes a bounded number of datagrams")
  func boundedTurn() async throws {
    let path = directory["notify"]
    let most = try await play(Int.self) { scene in
      var taken = 0
      var before = 0
      var most = 0
      scene.keep(
        try Datagrams(loop: scene.loop, path: path) { _ in
          taken += 1
          // There is always another client, up to a limit.
          if taken < 100 { connect(to: path, datagram: true)?.send("x") }
        })
      connect(to: path, datagram: true)?.send("x")
      let turn = scene.keep(Recursion())
      let again = OnLoop { [unowned turn] in turn.body() }
      turn.body = {
        most = max(most, taken - before)
        before = taken
        if taken == 100 { scene.finish(most) } else { scene.loop.perform { again() } }
      }
      turn.body()
    }
    #expect(most > 0 && most <= Datagrams.datagramsPerTurn)
  }

  @Test("At close the socket's file is removed if it is still ours; an existing file at the path stays")
  func path() async throws {
    let directory = directory
    let path = directory["notify"]
    let (during, error, after, successor) = try await play(
      ([String], ListenerError?, [String], [String]).self
    ) { scene in
      let datagrams = try Datagrams(loop: scene.loop, path: path) { _ in }
      let during = directory.names
      let error = failureHere(scene.loop, path)
      datagrams.close()
      datagrams.close()
      let after = directory.names
      let second = try Datagrams(loop: scene.loop, path: path) { _ in }
      unlink(path)
      directory.write("notify", "")
      second.close()
      scene.finish((during, error, after, directory.names))
    }
    #expect(during == ["notify"])
    #expect(error == .occupied(path: path, by: .liveSocket(pid: nil)))
    #expect(after == [])
    #expect(successor == ["notify"])
  }

  @Test("Only this user may write to it, regardless of the umask")
  func mode() async {
    await #expect(processExitsWith: .success) {
      umask(0)
      let directory = TemporaryDirectory()
      let mode: mode_t = try playHere { scene in
        scene.keep(try Datagrams(loop: scene.loop, path: directory["n"]) { _ in })
        var status = stat()
        lstat(directory["n"], &status)
        scene.finish(status.st_mode & 0o777)
      }
      #expect(mode == 0o600)
    }
  }

  @Test("A path that is too long is an error")
  func tooLong() async throws {
    let path = directory[String(repeating: "x", count: 150)]
    let error = try await play(ListenerError?.self) { $0.finish(failureHere($0.loop, path)) }
    #expect(error == .pathUnusable(path: path, maximum: 107))
    #expect(directory.names == [])
  }
}

private func failureHere(_ loop: Loop, _ path: String) -> ListenerError? {
  do throws(ListenerError) {
    _ = try Datagrams(loop: loop, path: path) { _ in }
    return nil
  } catch { return error }
}

extension Datagrams: Closable {}
