import Glibc
import LoopScenes
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
      // The limit goes from no free descriptor to enough of them, which depends on what the process has inherited.
      var failures = 0
      for left in 0..<64 {
        limit.rlim_cur = rlim_t(open - 1 + left)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if let loop = try? Loop() {
          try loop.close()
          break
        }
        failures += 1
      }
      #expect((1..<64).contains(failures))
      limit.rlim_cur = before
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try Loop().close()
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

/// Calls `refuseEach` for errors that only report the failure.
private func refuseEach(
  with errors: [Int32] = [EMFILE, ENOMEM, EIO], leaving files: Set<String> = [],
  _ body: (Scene<Void>, TemporaryDirectory) throws -> Void
) throws {
  try refuseEach(
    with: errors, leaving: files,
    isExpected: { $0 is SystemError || $0 is ListenerError || $0 is JournalError }, body)
}
