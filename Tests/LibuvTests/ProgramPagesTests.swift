import TestSupport
import Testing

@testable import Libuv
@testable import Platform

@Suite("ProgramPages")
struct ProgramPagesTests {
  @Test("Without the program's pages, a loop is woken by a timer, by a descriptor, and by another thread's work")
  func wakes() async throws {
    let woken = try await play([String].self) { scene in
      let loop = scene.loop
      var woken: [String] = []
      let (read, write) = try Descriptor.pipe()
      let poll = scene.keep(try Poll(loop: loop, descriptor: read))
      // Work of another thread runs on the loop's thread.
      nonisolated(unsafe) let finish = { scene.finish(woken + ["work"]) }
      try poll.start(.readable) { [unowned poll] _ in
        poll.stop()
        woken.append("descriptor")
        loop.sleepWithoutProgramPages()
        try? PlatformThread.start(name: "other") { loop.perform { finish() } }
      }
      scene.keep(Timer(loop: loop)).start(after: .milliseconds(5)) {
        woken.append("timer")
        loop.sleepWithoutProgramPages()
        try? PlatformThread.start(name: "writer") { write.send("x", pipe: true) }
      }
      loop.sleepWithoutProgramPages()
    }
    #expect(woken == ["timer", "descriptor", "work"])
  }
}
