import Glibc
import LoopScenes
import Testing

@testable import EventLoop
@testable import Platform

@Suite("Loop.performInThread")
struct LoopWorkTests {
  @Test("Work runs in another thread, and its result comes back to the loop's; work for the loop runs in the meantime")
  func thread() async throws {
    let seen = try await play([String].self) { scene in
      let seen = Collected<String>()
      let (reading, writing) = try Descriptor.pipe()
      scene.loop.performInThread { [loop = scene.loop] in
        var byte: UInt8 = 0
        // The work blocks until the loop has handled another event.
        #expect(read(reading.number, &byte, 1) == 1)
        return loop.isCurrent
      } then: { result in
        seen.append("result \(result) \(scene.loop.isCurrent)")
        scene.finish(seen.values)
      }
      scene.loop.perform {
        seen.append("loop")
        #expect(write(writing.number, "x", 1) == 1)
      }
    }
    #expect(seen == ["loop", "result success(false) true"])
  }

  @Test("If no thread can be created, the reason is reported at once")
  func refused() async throws {
    let error = try await play(SystemError?.self) { scene in
      var error: SystemError?
      _ = FaultInjection.refusing([1], with: EAGAIN) {
        scene.loop.performInThread {
          1
        } then: { result in
          if case .failure(let found) = result { error = found }
        }
      }
      scene.finish(error)
    }
    #expect(error == SystemError(call: "start the thread", errno: EAGAIN, subject: "files"))
  }
}
