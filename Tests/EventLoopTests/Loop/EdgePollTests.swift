import Glibc
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("EdgePoll")
struct EdgePollTests {
  @Test("An edge poll calls back once for data that isn't read, and again for more data")
  func edges() async throws {
    let counts = try await play([Int].self) { scene in
      var calls = 0
      var counts = [Int]()
      let (read, write) = try Descriptor.pipe()
      scene.keep(write).send("x", pipe: true)
      let timer = scene.keep(Timer(loop: scene.loop))
      let poll = try EdgePoll(loop: scene.loop, descriptor: read, name: "edges") {
        calls += 1
        // A level would call again in the next turn, before this timer.
        if timer.isActive { return }
        timer.start(after: .milliseconds(5)) {
          counts.append(calls)
          if counts.count < 2 { write.send("y", pipe: true) } else { scene.finish(counts) }
        }
      }
      scene.keep(poll)
    }
    #expect(counts == [1, 2])
  }

  @Test("A copy of a descriptor that was closed can't keep the loop from sleeping")
  func copies() async throws {
    let turns = try await play(Int.self) { scene in
      let (read, write) = try Descriptor.pipe()
      let copy = scene.keep(Descriptor(owning: fcntl(read.number, F_DUPFD_CLOEXEC, 100)))
      let poll = try EdgePoll(loop: scene.loop, descriptor: read, name: "copied") { Issue.record("it is closed") }
      poll.close()
      read.close()
      scene.keep(write).send("x", pipe: true)
      let timer = scene.keep(Timer(loop: scene.loop))
      timer.start(after: .milliseconds(20)) { [loop = scene.loop] in
        withExtendedLifetime(copy) { scene.finish(loop.turn) }
      }
    }
    #expect(turns < 20)
  }

  @Test("A regular file can't be watched")
  func regularFile() async throws {
    let directory = TemporaryDirectory()
    let path = directory.write("file", "")
    let error = try await play(SystemError?.self) { scene in
      let file = Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC))
      do throws(SystemError) {
        _ = try EdgePoll(loop: scene.loop, descriptor: file, name: "file") {}
        scene.finish(nil)
      } catch { scene.finish(error) }
    }
    #expect(error?.errno == EPERM)
  }
}
