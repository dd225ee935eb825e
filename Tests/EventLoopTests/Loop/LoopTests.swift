import Glibc
import LoopScenes
import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("Loop")
struct LoopTests {
  @Test("A nested call gets memory of its own")
  func nestedMemory() async throws {
    let isKept = try await play(Bool.self) { scene in
      // The memory is kept after its first use.
      scene.loop.withMemory { _ in }
      scene.loop.withMemory { outer in
        outer[0] = 1
        scene.loop.withMemory { inner in inner[0] = 2 }
        scene.finish(outer[0] == 1)
      }
    }
    #expect(isKept)
  }

  @Test("Work runs on the loop's thread, in the order in which it was queued")
  func order() async throws {
    let order = try await play([Int].self) { scene in
      let seen = Collected<Int>()
      let end = OnLoop { scene.finish(seen.values) }
      for number in 0..<1000 { scene.loop.perform { [loop = scene.loop] in seen.append(loop.isCurrent ? number : -1) } }
      scene.loop.perform { end() }
    }
    #expect(order == Array(0..<1000))
  }

  @Test("Work that always requests the next turn lets descriptors be polled in between, and turns are counted")
  func nextTurn() async throws {
    let (turns, counted) = try await play((Int, Int).self) { scene in
      let (left, right) = socketPair()
      scene.keep(left)
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: right))
      let again = scene.keep(Recursion())
      let first = scene.loop.turn
      var turns = 0
      var isOver = false
      let step = OnLoop { [weak again] in again?.body() }
      again.body = {
        turns += 1
        if !isOver { scene.loop.performNextTurn { step() } }
      }
      again.body()
      try poll.start(.readable) { _ in
        isOver = true
        scene.finish((turns, scene.loop.turn - first))
      }
      left.send("x")
    }
    #expect(turns <= 2, "not as many as a turn has room for")
    #expect(counted <= 2)
  }

  @Test("The room that many writers of a turn took is given back, and that of an ordinary turn is kept")
  func writers() async throws {
    let room = try await play([Int].self) { scene in
      let (one, other) = socketPair()
      let stream = scene.keep(try Stream(loop: scene.loop, descriptor: one))
      let room = [100, 10_000].map { count in
        scene.loop.writers = Array(repeating: stream, count: count)
        scene.loop.writeGathered()
        return scene.loop.writers.capacity
      }
      scene.finish(withExtendedLifetime(other) { room })
    }
    #expect(room[0] >= 100)
    #expect(room[1] < 1024)
  }

  @Test("No work is lost if many threads queue it at once")
  func crowd() async throws {
    let loop = try Loop.startedInThread(name: "crowd")
    let done = Collected<Int>()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            // Each waits for its answer, so the loop falls asleep and must be woken again and again.
            await withCheckedContinuation { continuation in
              loop.perform {
                done.append(1)
                continuation.resume()
              }
            }
          }
        }
      }
    }
    #expect(done.values.count == 2000)
    loop.stop()
  }

  @Test("Work that queues more work doesn't prevent timers from firing")
  func fairness() async throws {
    let turns = try await play(Int.self) { scene in
      let timer = scene.keep(Timer(loop: scene.loop))
      let count = Collected<Int>()
      let again = Repeating(loop: scene.loop)
      timer.start(after: .milliseconds(5)) {
        again.stop()
        scene.finish(count.values.count)
      }
      again.start { count.append(1) }
    }
    #expect(turns > 0)
  }

  @Test("A turn runs a bounded number of pieces of work, then descriptors are polled")
  func boundedTurn() async throws {
    let before = try await play(Int.self) { scene in
      let (read, write) = try Descriptor.pipe()
      _ = Glibc.write(write.number, "x", 1)
      let done = Collected<Int>()
      for number in 0..<(10 * Loop.workPerTurn) { scene.loop.perform { done.append(number) } }
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: read))
      try poll.start(.readable) { _ in
        poll.stop()
        scene.finish(done.values.count)
      }
    }
    #expect(before <= 2 * Loop.workPerTurn)
  }

  @Test("An actor on the loop is reached from a callback without a hop, and its jobs run on the loop's thread")
  func serialExecutor() async throws {
    let loop = try Loop.startedInThread(name: "actor")
    defer { loop.stop() }
    let counter = Counter(loop: loop)
    #expect(await counter.increment() == 1)
    let seen: Int = await withCheckedContinuation { continuation in
      loop.perform {
        // In a callback there is no job: this traps unless the executor implements checkIsolated().
        let timer = Timer(loop: loop)
        timer.start(after: .zero) {
          timer.close()
          continuation.resume(
            returning: loop.isIsolatingCurrentContext() == true ? counter.assumeIsolated { $0.value } : -1)
        }
      }
    }
    #expect(seen == 1)
    #expect(loop.isIsolatingCurrentContext() == false)
  }

  @Test("assumeIsolated on another thread is caught")
  func wrongThread() async {
    await #expect(processExitsWith: .failure) {
      let loop = try Loop.startedInThread(name: "actor")
      readHere(Counter(loop: loop))
    }
  }

  @Test("A task that prefers the loop runs on its thread; other tasks don't")
  func taskExecutor() async throws {
    let loop = try Loop.startedInThread(name: "task")
    defer { loop.stop() }
    let preferring = Task(executorPreference: loop) {
      await Task.yield()
      return loop.isCurrent
    }
    #expect(await preferring.value)
    let counter = Counter(loop: loop)
    let plain = Task.detached {
      _ = await counter.increment()
      return loop.isCurrent
    }
    #expect(await plain.value == false)
  }

  @Test("An idle loop makes no voluntary context switch")
  func idle() async throws {
    let loop = try Loop.startedInThread(name: "idle")
    defer { loop.stop() }
    let thread: String = await withCheckedContinuation { continuation in
      loop.perform { continuation.resume(returning: currentThreadDirectory()) }
    }
    #expect(await eventually { threadStatus(thread, "State").hasPrefix("S") })
    let before = threadStatus(thread, "voluntary_ctxt_switches")
    // The time in which no switch may happen; a longer one only makes the test stricter.
    try await Task.sleep(for: .milliseconds(500))
    #expect(threadStatus(thread, "voluntary_ctxt_switches") == before)
    #expect(Int(before) != nil)
  }

  @Test("A stop before run makes the next run return, after the work queued before it")
  func stopFirst() async throws {
    let seen = try await inThread {
      let loop = try Loop()
      let seen = Collected<Int>()
      loop.perform { seen.append(1) }
      loop.stop()
      loop.run()
      try loop.close()
      return seen.values
    }
    #expect(seen == [1])
  }

  @Test("A loop without open handles closes without leaks; open handles are reported by name")
  func leaks() async throws {
    let told = try await inThread {
      let loop = try Loop()
      var told: [[String]] = []
      func close() { do throws(LeakedHandles) { try loop.close() } catch { told.append(error.names) } }
      let timer = Timer(loop: loop, name: "grace of run 7")
      let poll = try Poll(loop: loop, descriptor: try Descriptor.pipe().read, name: "a pipe")
      let stream = try Stream(loop: loop, descriptor: socketPair().0)
      stream.close()
      close()
      poll.close()
      close()
      timer.close()
      timer.close()
      close()
      close()
      return told
    }
    #expect(told == [["grace of run 7", "a pipe"], ["grace of run 7"]])
  }

  @Test("A handle dropped on another thread is closed on the loop's")
  func droppedElsewhere() async throws {
    let closed = try await play(Bool.self) { scene in
      let parcel = Parcel(try Poll(loop: scene.loop, descriptor: try Descriptor.pipe().read))
      let loop = scene.loop
      let end = OnLoop { scene.finish(true) }
      try PlatformThread.start(name: "dropper") {
        parcel.drop()
        loop.perform { end() }
      }
    }
    // The end of the scene closes the loop, which would fail with an open handle.
    #expect(closed)
  }

  @Test("A closed loop drops work")
  func afterClose() async throws {
    let isGone = try await inThread {
      let loop = try Loop()
      try loop.close()
      weak var witness: AnyObject?
      do {
        let object = Collected<Int>()
        witness = object
        loop.perform { object.append(1) }
      }
      loop.stop()
      return witness == nil
    }
    #expect(isGone)
  }
}

/// An actor whose executor is a loop.
private actor Counter {
  let loop: Loop
  var value = 0

  init(loop: Loop) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func increment() -> Int {
    precondition(loop.isCurrent)
    value += 1
    return value
  }
}

/// Claims to be on the counter's loop.
private func readHere(_ counter: Counter) { _ = counter.assumeIsolated { $0.value } }

/// Work that queues itself again until stopped.
private final class Repeating: Sendable {
  let loop: Loop
  let isStopped = Atomic<Bool>(false)

  init(loop: Loop) { self.loop = loop }

  func start(_ action: @escaping @Sendable () -> Void) {
    guard !isStopped.load(ordering: .relaxed) else { return }
    action()
    loop.perform { self.start(action) }
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }
}

/// Moves an object to another thread, which drops it.
private final class Parcel: @unchecked Sendable {
  private var content: AnyObject?
  init(_ content: AnyObject) { self.content = content }
  func drop() { content = nil }
}

private func currentThreadDirectory() -> String {
  var buffer = [CChar](repeating: 0, count: 128)
  let count = readlink("/proc/thread-self", &buffer, buffer.count)
  return "/proc/" + String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private func threadStatus(_ directory: String, _ key: String) -> String {
  let file = Descriptor(owning: open("\(directory)/status", O_RDONLY | O_CLOEXEC))
  for line in file.readToEnd().split(separator: "\n") where line.hasPrefix("\(key):") {
    return String(line.dropFirst(key.count + 1).drop { $0 == "\t" || $0 == " " })
  }
  return ""
}
