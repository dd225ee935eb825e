import Glibc
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

/// Each system call fails once, with each possible error.
///
/// The operation either still works or throws, and afterwards there are no additional descriptors, handles, children or files.
@Suite("Failing system calls")
struct FaultInjectionTests {
  @Test("Listener, connection, and the data sent over it")
  func listener() async {
    await #expect(processExitsWith: .success) {
      // A lock that we don't hold isn't removed.
      try refuseEach(leaving: ["s.lock"]) { scene, directory in
        let path = directory["s"]
        let listener = try Listener(loop: scene.loop, path: path) { connection, _ in
          guard let stream = try? Stream(loop: scene.loop, descriptor: connection) else { return }
          scene.keep(stream)
          stream.onRead = { [unowned stream] in stream.write(Array($0)) }
          stream.resumeReading()
        }
        scene.keep(listener)
        let client = scene.keep(try Stream(loop: scene.loop, descriptor: try #require(connect(to: path))))
        client.onRead = { _ in scene.finish(()) }
        client.onEnd = { scene.finish(()) }
        client.onError = { _ in scene.finish(()) }
        client.write([1])
        client.resumeReading()
      }
    }
  }

  @Test("A private directory, and its guard")
  func privateDirectory() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, directory in
        try scene.loop.guardChildren(grace: .zero, lock: nil) { _ in }
        defer { scene.loop.endGuard() }
        let made = PrivateDirectory(in: directory.path, guardedBy: { scene.loop.childGuard })
        defer { made.remove() }
        // If it can't be created here, it is created in /tmp.
        _ = try made.path()
        scene.finish(())
      }
    }
  }

  @Test("A file system that can't rename without replacing")
  func renaming() async {
    await #expect(processExitsWith: .success) {
      try refuseEach(with: [EINVAL, ENOSYS], leaving: ["s.lock"]) { scene, directory in
        scene.keep(try Listener(loop: scene.loop, path: directory["s"]) { _, _ in })
        #expect(directory.names == ["s", "s.lock"])
        _ = try #require(connect(to: directory["s"]))
        scene.finish(())
      }
    }
  }

  @Test("A listener whose file is removed")
  func lostListener() async {
    await #expect(processExitsWith: .success) {
      // Each of these takes a second, the interval of the check.
      try refuseEach(with: [ENOSPC], leaving: ["s.lock"]) { scene, directory in
        let listener = try Listener(loop: scene.loop, path: directory["s"]) { _, _ in }
        scene.keep(listener)
        listener.onLost = { if $0 == nil { scene.finish(()) } }
        #expect(unlink(directory["s"]) == 0)
      }
    }
  }

  @Test("A write that can't be queued is reported later, once, and later writes are dropped")
  func write() async {
    await #expect(processExitsWith: .success) {
      let (told, received) = try playHere { (scene: Scene<(SystemError?, Int)>) in
        let (ours, theirs) = socketPair()
        let stream = scene.keep(try Stream(loop: scene.loop, descriptor: ours))
        var told: [SystemError] = []
        let end = scene.keep(Timer(loop: scene.loop))
        stream.onError = {
          told.append($0)
          end.start(after: .milliseconds(1)) {
            stream.close()
            let received = theirs.readToEnd().utf8
            #expect(!received.contains(2))
            scene.finish((told.count == 1 ? told[0] : nil, received.count))
          }
        }
        // More than the kernel accepts at once, so the rest is queued.
        _ = FaultInjection.refusing([1], with: ENOMEM) { stream.write([UInt8](repeating: 1, count: 4 << 20)) }
        #expect(told.isEmpty)
        stream.write([2])
      }
      #expect(told == SystemError(call: "write", errno: ENOMEM))
      #expect(received > 0 && received < 4 << 20)
    }
  }

  @Test("A stream that can't be written to fails, and doesn't trap")
  func readingEnd() async {
    await #expect(processExitsWith: .success) {
      let told = try playHere { (scene: Scene<SystemError>) in
        let pipe = try Descriptor.pipe()
        let stream = scene.keep(try Stream(loop: scene.loop, descriptor: pipe.read))
        stream.onError = { scene.finish($0) }
        stream.write([1])
      }
      #expect(told.call == "write")
    }
  }

  @Test("Without descriptors, creating a loop fails, and the process continues")
  func loop() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let before = limit.rlim_cur
      let open = openDescriptors()
      // The limit goes from no free descriptor to one too few.
      for left in 0..<7 {
        limit.rlim_cur = rlim_t(open - 1 + left)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if let loop = try? Loop() { try loop.close() } else { #expect(left < 6) }
      }
      limit.rlim_cur = before
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try Loop().close()
    }
  }

  @Test("A child, its output and its end")
  func child() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, _ in
        let loop = scene.loop
        _ = try ChildProcess(
          loop: loop, arguments: ["/bin/echo", "x"],
          environment: try EnvironmentBlock([:]),
          streams: { () throws(SystemError) in try ChildStreams(loop: loop, output: .pipe, error: .null) }()
        ) { _ in scene.finish(()) }
      }
      #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD, "a child is left")
    }
  }

  @Test("A guard of children")
  func childGuard() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, _ in
        try scene.loop.guardChildren(grace: .zero, lock: nil) { _ in }
        scene.loop.endGuard()
        scene.finish(())
      }
      #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD, "a guard is left")
    }
  }

  @Test("Datagrams, under one path and another")
  func datagrams() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, directory in
        let socket = scene.keep(try Datagrams(loop: scene.loop, path: directory["a"]) { _ in scene.finish(()) })
        try? socket.move(to: directory["b"])
        try #require(connect(to: socket.path, datagram: true)).send("x")
      }
    }
  }

  @Test("A signal")
  func signal() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, _ in
        scene.keep(try SignalSource(loop: scene.loop, signal: SIGUSR2) { scene.finish(()) })
        kill(getpid(), SIGUSR2)
      }
    }
  }

  @Test("A journal has either its old or its new contents")
  func journal() async {
    await #expect(processExitsWith: .success) {
      let old = Array("old\n".utf8)
      let new = Array("new\n".utf8)
      try refuseEach(leaving: ["j", "j.lock"]) { scene, directory in
        try JournalFile("j", in: directory.path, limit: 100).replace(with: old)
        let journal = try JournalFile("j", in: directory.path, limit: 100)
        var expected = journal.contents ?? []
        #expect(expected == old)
        if (try? journal.replace(with: new)) != nil {
          expected = new
          // A line that couldn't be appended isn't in the file until all lines are written again.
          if (try? journal.append(old)) != nil { expected += old } else { try journal.replace(with: expected) }
        }
        let file = Descriptor(owning: open(directory["j"], O_RDONLY | O_CLOEXEC))
        #expect(Array(file.readToEnd().utf8) == expected)
        scene.finish(())
      }
    }
  }
}

/// Runs a scene repeatedly, each time with another failing system call, and checks that nothing is left.
private func refuseEach(
  with errors: [Int32] = [EMFILE, ENOMEM, EIO], leaving files: Set<String> = [],
  _ body: (Scene<Void>, TemporaryDirectory) throws -> Void
) throws {
  func play() throws {
    let directory = TemporaryDirectory()
    defer { #expect(files.isSuperset(of: directory.names), "\(directory.names) are left") }
    try playHere(Void.self, body, directory)
  }
  let calls = try FaultInjection.refusing([], with: 0, play)
  #expect(calls > 0)
  func refuse(_ number: Int, with errno: Int32) {
    do {
      _ = try FaultInjection.refusing([number], with: errno, play)
    } catch let error
      where error is SystemError || error is ListenerError || error is SpawnError || error is JournalError
    {
      // The failure is only reported.
    } catch {
      Issue.record("call \(number) failing with \(errno): \(error)")
    }
  }
  for number in 1...calls {
    for errno in errors {
      var before = openDescriptors()
      refuse(number, with: errno)
      // Another test may have opened a descriptor in the meantime; a leak leaves one each time.
      if openDescriptors() > before {
        before = openDescriptors()
        refuse(number, with: errno)
      }
      // The number is smaller if another test has closed one since then.
      #expect(openDescriptors() <= before, "call \(number) failing with \(errno)")
    }
  }
}

private func playHere(
  _: Void.Type, _ body: (Scene<Void>, TemporaryDirectory) throws -> Void, _ directory: TemporaryDirectory
) throws {
  let _: Void = try playHere { scene in try body(scene, directory) }
}

private func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}
