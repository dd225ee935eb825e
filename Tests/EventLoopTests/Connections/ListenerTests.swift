import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("Listener")
struct ListenerTests {
  let directory = TemporaryDirectory()
  var path: String { directory["s"] }

  @Test("A connection is passed with the peer as the kernel reports it (protocol §1, §8)")
  func accepts() async throws {
    let path = path
    let (peer, received) = try await play((PeerCredentials, String).self) { scene in
      try listen(scene, path) { connection, peer in scene.finish((peer, connection.readToEnd())) }
      let client = try #require(connect(to: path))
      client.send("hello")
      client.close()
    }
    #expect((peer.pid, peer.uid, peer.gid) == (getpid(), getuid(), getgid()))
    var groups = [gid_t](repeating: 0, count: Int(getgroups(0, nil)))
    getgroups(Int32(groups.count), &groups)
    #expect(peer.groups.sorted() == groups.sorted())
    #expect(received == "hello")
  }

  @Test("An accepted connection is close-on-exec and non-blocking")
  func flags() async throws {
    let path = path
    let (exec, status) = try await play((Int32, Int32).self) { scene in
      try listen(scene, path) { connection, _ in
        scene.finish((fcntl(connection.number, F_GETFD), fcntl(connection.number, F_GETFL)))
      }
      scene.keep(try #require(connect(to: path)))
    }
    #expect(exec == FD_CLOEXEC)
    #expect(status & O_NONBLOCK != 0)
  }

  @Test("A turn accepts at most 8 connections, so a flood doesn't starve the loop")
  func boundedTurn() async throws {
    let path = path
    let most = try await play(Int.self) { scene in
      var accepted = 0
      var before = 0
      var most = 0
      try listen(scene, path) { _, _ in accepted += 1 }
      for _ in 0..<60 { scene.keep(try #require(connect(to: path))) }
      let turn = scene.keep(Recursion())
      let again = OnLoop { [unowned turn] in turn.body() }
      turn.body = {
        most = max(most, accepted - before)
        before = accepted
        if accepted == 60 { scene.finish(most) } else { scene.loop.perform { again() } }
      }
      turn.body()
    }
    #expect(most > 0 && most <= 8)
  }

  @Test("Only this user can connect, regardless of the umask (protocol §1)")
  func mode() async {
    await #expect(processExitsWith: .success) {
      umask(0)
      let directory = TemporaryDirectory()
      let mode: mode_t = try playHere { scene in
        try listen(scene, directory["s"]) { _, _ in }
        var status = stat()
        lstat(directory["s"], &status)
        scene.finish(status.st_mode & 0o777)
      }
      #expect(mode == 0o600)
    }
  }

  @Test("A path that is too long is an error, never truncated (protocol §1)")
  func tooLong() async throws {
    let directory = directory
    let longest = directory[String(repeating: "x", count: 107 - directory.path.utf8.count - 1)]
    for path in [longest + "x", longest + String(repeating: "y", count: 43), "", "a\0b"] {
      let error = try await failure(path)
      #expect(error == .pathUnusable(path: path, maximum: 107))
    }
    #expect(directory.names == [])
    #expect(try await failure(longest) == nil)
  }

  @Test("A second supervisor is refused, with the pid of the first one")
  func alreadyRunning() async throws {
    let path = path
    let error = try await play(ListenerError?.self) { scene in
      try listen(scene, path) { _, _ in }
      scene.finish(failureHere(scene.loop, path))
    }
    #expect(error == .alreadyRunning(path: path, pid: getpid()))
  }

  @Test("A stale socket is replaced (protocol §1)")
  func stale() async throws {
    try leaveStaleSocket(path)
    directory.write("s.lock", "1234\n", mode: 0o600)
    let path = path
    let isConnected = try await play(Bool.self) { scene in
      try listen(scene, path) { _, _ in }
      scene.finish(connect(to: path) != nil)
    }
    #expect(isConnected)
    #expect(directory.names == [])
  }

  @Test("Any other file at the path stays, and the error names its kind (protocol §1)")
  func occupied() async throws {
    mkdir(directory["directory"], 0o700)
    directory.write("file", "precious")
    symlink("/nowhere", directory["link"])
    mkfifo(directory["fifo"], 0o600)
    let there = directory.names
    #expect(try await failure(directory["directory"]) == .occupied(path: directory["directory"], by: .directory))
    #expect(try await failure(directory["file"]) == .occupied(path: directory["file"], by: .file))
    #expect(try await failure(directory["link"]) == .occupied(path: directory["link"], by: .symbolicLink))
    #expect(try await failure(directory["fifo"]) == .occupied(path: directory["fifo"], by: .other))
    #expect(directory.names == there)
  }

  @Test("Another program's socket in use stays, and its pid is reported, even if its backlog is full")
  func liveSocket() async throws {
    let address = try #require(SocketAddress(path: path))
    let stranger = try Descriptor.boundUnixSocket(address, mode: 0o600)
    #expect(Glibc.listen(stranger.number, 0) == 0)
    #expect(try await failure(path) == .occupied(path: path, by: .liveSocket(pid: getpid())))
    var waiting: [Descriptor] = []
    while true {
      let client = try Descriptor.unixSocket()
      guard address.connect(client) == 0 else { break }
      waiting.append(client)
    }
    #expect(errno == EAGAIN)
    #expect(try await failure(path) == .occupied(path: path, by: .liveSocket(pid: nil)))
    #expect(directory.names == ["s"])
  }

  @Test("A datagram socket at the path stays")
  func datagramSocket() async throws {
    let socket = try Descriptor.boundUnixSocket(
      try #require(SocketAddress(path: path)), mode: 0o600, isDatagram: true)
    #expect(try await failure(path) == .occupied(path: path, by: .liveSocket(pid: nil)))
    #expect(directory.names == ["s"])
    _ = socket
  }

  @Test("A missing directory is reported as the reason")
  func missingDirectory() async throws {
    let path = directory["none/s"]
    #expect(
      try await failure(path)
        == .system(path: path, SystemError(call: "open", errno: ENOENT, subject: path + ".lock")))
  }

  @Test("After close no file is left, and connections stay open; a second close has no effect")
  func close() async throws {
    let path = path
    let directory = directory
    let (names, text) = try await play(([String], String).self) { scene in
      var listener: Listener?
      let client = Collected<Descriptor>()
      listener = try Listener(loop: scene.loop, path: path) { connection, _ in
        listener?.close()
        listener?.close()
        connection.send("still here")
        connection.close()
        scene.finish((directory.names, client.values[0].readToEnd()))
        listener = nil
      }
      client.append(try #require(connect(to: path)))
    }
    #expect(names == [])
    #expect(text == "still here")
  }

  @Test("A listener that stopped accepting keeps the lock until it is closed")
  func stopAccepting() async throws {
    let path = path
    let directory = directory
    let (names, error, after) = try await play(([String], ListenerError?, ListenerError?).self) { scene in
      let listener = try listen(scene, path) { _, _ in }
      listener.stopAccepting()
      let names = directory.names
      let error = failureHere(scene.loop, path)
      listener.close()
      scene.finish((names, error, failureHere(scene.loop, path)))
    }
    #expect(names == ["s.lock"])
    #expect(error == .alreadyRunning(path: path, pid: getpid()))
    #expect(after == nil)
  }

  @Test("Only its own socket is removed at the end, not a successor's")
  func successor() async throws {
    let path = path
    let directory = directory
    let names = try await play([String].self) { scene in
      let listener = try listen(scene, path) { _, _ in }
      unlink(path)
      try leaveStaleSocket(path)
      listener.close()
      scene.finish(directory.names)
    }
    #expect(names == ["s"])
  }

  @Test("A dropped listener leaves no file behind")
  func dropped() async throws {
    let path = path
    let directory = directory
    let names = try await play([String].self) { scene in
      _ = try Listener(loop: scene.loop, path: path) { _, _ in }
      scene.finish(directory.names)
    }
    #expect(names == [])
  }

  @Test("Each exhaustion is reported, and each end of one")
  func exhaustedAgain() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      let told: [Int32?] = try playHere { scene in
        var told: [Int32?] = []
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit.rlim_cur
        let listener = try listen(scene, directory["s"]) { connection, _ in scene.keep(connection) }
        func exhaust() throws {
          scene.keep(try #require(connect(to: directory["s"])))
          limit.rlim_cur = 0
          setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        listener.onExhausted = { error in
          told.append(error?.errno)
          guard error == nil else {
            limit.rlim_cur = before
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return
          }
          guard told.count < 4 else { return scene.finish(told) }
          do { try exhaust() } catch { scene.finish(told) }
        }
        try exhaust()
      }
      #expect(told == [EMFILE, nil, EMFILE, nil])
    }
  }

  @Test("Without descriptors it pauses, reports this once, and later accepts the waiting clients")
  func exhausted() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      let (told, turns): ([Int32?], Int) = try playHere { scene in
        var told: [Int32?] = []
        var accepted = 0
        var first = 0
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit
        let listener = try listen(scene, directory["s"]) { connection, _ in
          scene.keep(connection)
          accepted += 1
        }
        for _ in 0..<3 { scene.keep(try #require(connect(to: directory["s"]))) }
        let plenty = scene.keep(Timer(loop: scene.loop))
        limit.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        listener.onExhausted = { error in
          told.append(error?.errno)
          guard error == nil else {
            // The limit is raised a while after the first failure, so that accepting fails repeatedly even if that failure is late.
            first = scene.loop.turn
            plenty.start(after: Listener.restWhenExhausted * 2.5) {
              var before = before
              setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
            }
            return
          }
          precondition(accepted == 3)
          scene.finish((told, scene.loop.turn - first))
        }
      }
      #expect(told == [EMFILE, nil])
      // Two turns for each of three further attempts, the timer's and its own, and one for the limit; one more for each timer that is late.
      #expect(turns <= 11, "it doesn't rest for as long as it should")
    }
  }

  @Test(
    "A socket whose file is removed is bound again with the same path and mode; open connections stay"
  )
  func lost() async throws {
    let path = path
    let (mode, texts) = try await play((mode_t, [String]).self) { scene in
      var accepted: [Descriptor] = []
      let listener = try listen(scene, path) { connection, _ in accepted.append(connection) }
      let first = scene.keep(try #require(connect(to: path)))
      listener.onLost = { error in
        precondition(error == nil)
        guard let second = connect(to: path) else { preconditionFailure("it isn't there") }
        first.send("first")
        second.send("second")
        first.close()
        second.close()
        var status = stat()
        stat(path, &status)
        let mode = status.st_mode & 0o777
        let done = OnLoop { scene.finish((mode, accepted.map { $0.readToEnd() })) }
        let loop = scene.loop
        loop.performNextTurn { loop.performNextTurn { done() } }
      }
      #expect(unlink(path) == 0)
    }
    #expect(mode == 0o600)
    #expect(texts == ["first", "second"])
  }

  @Test("Another file at the path stays and is reported once; when it is removed, the path is bound again; each time")
  func lostToAnother() async throws {
    let path = path
    let told = try await play([ListenerError?].self) { scene in
      var told: [ListenerError?] = []
      let listener = try listen(scene, path) { _, _ in }
      let removal = scene.keep(Timer(loop: scene.loop))
      listener.onLost = { error in
        told.append(error)
        if told.count == 4 { return scene.finish(told) }
        if error == nil { return lose() }
        // Longer than two attempts.
        removal.start(after: Listener.restWhenLost * 2.5) { rmdir(path) }
      }
      func lose() {
        unlink(path)
        mkdir(path, 0o700)
      }
      lose()
    }
    let occupied = ListenerError.occupied(path: path, by: .directory)
    #expect(told == [occupied, nil, occupied, nil])
  }

  @Test("The socket of another process is used; its file stays that process's")
  func adopted() async throws {
    let path = path
    let directory = directory
    let received = try await play(String.self) { scene in
      let socket = try Descriptor.boundUnixSocket(try #require(SocketAddress(path: path)), mode: 0o600)
      #expect(Glibc.listen(socket.number, 1) == 0)
      let listener = try Listener(loop: scene.loop, adopting: socket, path: path) { connection, _ in
        scene.finish(connection.readToEnd())
      }
      scene.keep(listener)
      let client = try #require(connect(to: path))
      client.send("hello")
      client.close()
    }
    #expect(received == "hello")
    #expect(directory.names == ["s"])
  }

  /// Returns why a path can't be listened at; nil if it can.
  private func failure(_ path: String) async throws -> ListenerError? {
    try await play(ListenerError?.self) { $0.finish(failureHere($0.loop, path)) }
  }
}

/// Creates a listener for the scene.
@discardableResult
private func listen<Outcome>(
  _ scene: Scene<Outcome>, _ path: String, onConnection: @escaping (Descriptor, PeerCredentials) -> Void
) throws -> Listener {
  scene.keep(try Listener(loop: scene.loop, path: path, onConnection: onConnection))
}

private func failureHere(_ loop: Loop, _ path: String) -> ListenerError? {
  do throws(ListenerError) {
    _ = try Listener(loop: loop, path: path) { _, _ in }
    return nil
  } catch { return error }
}

/// Leaves a stale socket, as a killed supervisor does.
private func leaveStaleSocket(_ path: String) throws {
  let socket = try Descriptor.boundUnixSocket(try #require(SocketAddress(path: path)), mode: 0o600)
  #expect(Glibc.listen(socket.number, 1) == 0)
}
