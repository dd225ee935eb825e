import Glibc
import TestSupport
import Testing

@testable import Libuv
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
      scene.keep(Timer(loop: scene.loop)).start(after: .zero) {
        scene.finish([before, descriptorTarget(number) == path])
      }
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
        try Poll(loop: scene.loop, descriptor: file).start(.readable) { _ in }
        scene.finish(nil)
      } catch { scene.finish(error) }
    }
    #expect(error?.errno == EPERM)
  }

  @Test("A poll that an earlier callback of the turn has closed isn't called")
  func closedInTurn() async throws {
    let calls = try await play(Int.self) { scene in
      var polls: [Poll] = []
      var calls = 0
      for _ in 0..<2 {
        let (read, write) = try Descriptor.pipe()
        scene.keep(write).send("x", pipe: true)
        polls.append(scene.keep(try Poll(loop: scene.loop, descriptor: read)))
      }
      let end = scene.keep(Timer(loop: scene.loop))
      for poll in polls {
        try poll.start(.readable) { [polls] _ in
          calls += 1
          for poll in polls { poll.close() }
          end.start(after: .milliseconds(2)) { scene.finish(calls) }
        }
      }
    }
    #expect(calls == 1)
  }

  @Test("If more descriptors are ready than a turn reports, all are called")
  func many() async throws {
    let calls = try await play(Int.self) { scene in
      var calls = 0
      for _ in 0..<200 {
        let (read, write) = try Descriptor.pipe()
        scene.keep(write).send("x", pipe: true)
        let poll = scene.keep(try Poll(loop: scene.loop, descriptor: read))
        try poll.start(.readable) { [unowned poll] _ in
          poll.stop()
          calls += 1
          if calls == 200 { scene.finish(calls) }
        }
      }
    }
    #expect(calls == 200)
  }

  @Test("A poll that is closed later isn't called any more, and its descriptor is closed after the queued work")
  func closedLater() async throws {
    let (areOpen, calls) = try await play(([Bool], Int).self) { scene in
      let (read, write) = try Descriptor.pipe()
      scene.keep(write).send("x", pipe: true)
      var (areOpen, calls) = ([Bool](), 0)
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: read))
      try poll.start(.readable) { _ in calls += 1 }
      let work = OnLoop { areOpen.append(read.number >= 0) }
      scene.loop.perform { work() }
      poll.closeLater()
      scene.keep(Timer(loop: scene.loop)).start(after: .milliseconds(2)) {
        scene.finish((areOpen + [read.number >= 0], calls))
      }
    }
    #expect(areOpen == [true, false])
    #expect(calls == 0)
  }
}
