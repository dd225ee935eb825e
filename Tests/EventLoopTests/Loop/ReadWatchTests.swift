import Glibc
import LoopScenes
import Testing

@testable import EventLoop
@testable import Platform

@Suite("ReadWatch")
struct ReadWatchTests {
  @Test("The action is called in each turn until everything is read, and when the other end is closed")
  func levels() async throws {
    let read = try await play([Int].self) { scene in
      let (read, write) = try Descriptor.pipe()
      #expect(Glibc.write(write.number, "abc", 3) == 3)
      var counts: [Int] = []
      var watch: ReadWatch?
      watch = try ReadWatch(loop: scene.loop, descriptor: read, name: "pipe") {
        var byte: UInt8 = 0
        let count = Glibc.read(read.number, &byte, 1)
        counts.append(count)
        if counts.count == 3 { write.close() }
        guard count == 0 else { return }
        watch?.close()
        scene.finish(counts)
      }
    }
    #expect(read == [1, 1, 1, 0])
  }

  @Test("A watch that another one's action closes isn't called, and a new watch in its place isn't called instead")
  func closedInTurn() async throws {
    let called = try await play([String].self) { scene in
      var called: [String] = []
      var watches: [ReadWatch] = []
      let pipes = [try Descriptor.pipe(), try Descriptor.pipe()]
      for pipe in pipes { #expect(Glibc.write(pipe.write.number, "x", 1) == 1) }
      let empty = try Descriptor.pipe()
      var later: ReadWatch?
      for (index, pipe) in pipes.enumerated() {
        watches.append(
          try ReadWatch(loop: scene.loop, descriptor: pipe.read, name: "pipe \(index)") {
            called.append("\(index)")
            // Whichever comes first closes both, and the new watch gets their places.
            for watch in watches { watch.close() }
            for pipe in pipes { pipe.read.close() }
            later = try? ReadWatch(loop: scene.loop, descriptor: empty.read, name: "empty") { called.append("empty") }
            scene.loop.nextTurn {
              scene.loop.nextTurn {
                later?.close()
                withExtendedLifetime(empty) { scene.finish(called) }
              }
            }
          })
      }
    }
    #expect(called.count == 1 && called != ["empty"])
  }

  @Test("A watch that is deallocated isn't called, and many watches get their turns")
  func many() async throws {
    let count = try await play(Int.self) { scene in
      var seen: Set<Int> = []
      var pipes: [(read: Descriptor, write: Descriptor)] = []
      var watches: [ReadWatch?] = []
      for index in 0..<200 {
        let pipe = try Descriptor.pipe()
        #expect(Glibc.write(pipe.write.number, "x", 1) == 1)
        pipes.append(pipe)
        watches.append(
          try ReadWatch(loop: scene.loop, descriptor: pipe.read, name: "pipe") {
            #expect(index.isMultiple(of: 2), "it is deallocated")
            seen.insert(index)
            watches[index]?.close()
            if seen.count == 100 { withExtendedLifetime(pipes) { scene.finish(seen.count) } }
          })
      }
      for index in stride(from: 1, to: 200, by: 2) { watches[index] = nil }
    }
    #expect(count == 100)
  }

  @Test("A descriptor can be watched again once its watch is closed")
  func again() async throws {
    let count = try await play(Int.self) { scene in
      let (read, write) = try Descriptor.pipe()
      let first = try ReadWatch(loop: scene.loop, descriptor: read, name: "first") {}
      #expect(throws: SystemError.self) { try ReadWatch(loop: scene.loop, descriptor: read, name: "second") {} }
      first.close()
      var second: ReadWatch?
      second = try ReadWatch(loop: scene.loop, descriptor: read, name: "second") {
        second?.close()
        scene.finish(1)
      }
      write.close()
    }
    #expect(count == 1)
  }

  @Test("A file that can't be watched is an error that names the watch, and leaves nothing")
  func refused() async throws {
    let error = try await play(SystemError?.self) { scene in
      let number = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
      do throws(SystemError) {
        _ = try ReadWatch(loop: scene.loop, descriptor: Descriptor(owning: number), name: "file") {}
        scene.finish(nil)
      } catch { scene.finish(error) }
    }
    #expect(error?.errno == EPERM && error?.subject == "file")
  }

  @Test("A loop that is closed too early names its watches, and closes once they are closed")
  func leak() async throws {
    let names = try await inThread {
      let loop = try Loop()
      let pipe = try Descriptor.pipe()
      let watch = try ReadWatch(loop: loop, descriptor: pipe.read, name: "pipe") {}
      var names: [String] = []
      do throws(LeakedHandles) { try loop.close() } catch { names = error.names }
      watch.close()
      try loop.close()
      return names
    }
    #expect(names == ["pipe"])
  }
}
