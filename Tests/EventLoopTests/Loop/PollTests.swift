import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("Poll")
struct PollTests {
  @Test("A poll calls back while the descriptor is ready, not while stopped, and again after a restart")
  func readiness() async throws {
    let calls = try await play([String].self) { scene in
      var calls: [String] = []
      let (read, write) = try Descriptor.pipe()
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: read))
      scene.keep(write).send("x", pipe: true)
      let timer = scene.keep(Timer(loop: scene.loop))
      try poll.start(.readable) { events in
        calls.append(events.contains(.readable) ? "first" : "nothing")
        poll.stop()
        timer.start(after: .milliseconds(5)) {
          calls.append("pause")
          do {
            try poll.start(.readable) { _ in
              calls.append("second")
              scene.finish(calls)
            }
          } catch { scene.finish(["\(error)"]) }
        }
      }
    }
    #expect(calls == ["first", "pause", "second"])
  }

  @Test("A poll keeps its descriptor open, and dropping the poll closes it")
  func keeps() async throws {
    let states = try await play([Bool].self) { scene in
      var poll: Poll?
      let number: Int32
      do {
        let read = try Descriptor.pipe().read
        number = read.number
        poll = try Poll(loop: scene.loop, descriptor: read)
      }
      let path = try #require(descriptorTarget(number))
      let before = poll != nil && descriptorTarget(number) == path
      poll = nil
      scene.afterTurn { scene.finish([before, descriptorTarget(number) == path]) }
    }
    #expect(states == [true, false])
  }

  @Test("A regular file can't be watched")
  func regularFile() async throws {
    let directory = TemporaryDirectory()
    let path = directory.write("file", "")
    let error = try await play(SystemError?.self) { scene in
      let file = Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC))
      do throws(SystemError) {
        _ = try Poll(loop: scene.loop, descriptor: file)
        scene.finish(nil)
      } catch { scene.finish(error) }
    }
    #expect(error?.errno == EPERM)
  }
}
