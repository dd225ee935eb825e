import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("Stream")
struct StreamTests {
  @Test("Written bytes arrive at the other end in order, followed by the end")
  func roundTrip() async throws {
    let read = try await play([UInt8].self) { scene in
      let (left, right) = try streams(scene)
      var read: [UInt8] = []
      right.onRead = { read += $0 }
      right.onEnd = { scene.finish(read) }
      right.resumeReading()
      for number in 0..<200 { left.write([UInt8(number)]) }
      left.write([])
      left.finishWriting()
      left.write([255])
    }
    #expect(read == (0..<200).map { UInt8($0) })
  }

  @Test(
    "Many small unread writes need no more memory than their bytes, and arrive completely, in order, before the end"
  )
  func smallWrites() async throws {
    let count = 100_000
    let (queued, read) = try await play((Int, Int).self) { scene in
      let (left, right) = try streams(scene)
      for number in 0..<count { left.write(withUnsafeBytes(of: Int32(number)) { Array($0) }) }
      let queued = left.queuedBytes
      left.finishWriting()
      left.write([1])
      var bytes: [UInt8] = []
      right.onRead = { bytes += $0 }
      right.onEnd = {
        let numbers = bytes.withUnsafeBytes {
          $0.bindMemory(to: Int32.self).enumerated().count { $0.offset == Int($0.element) }
        }
        scene.finish((queued, bytes.count == 4 * count ? numbers : -1))
      }
      right.resumeReading()
    }
    #expect(queued > 0 && queued <= 4 * count)
    #expect(read == count)
  }

  /// Creates two streams of a socket pair that keeps packets, so the reader sees which bytes one system call wrote.
  private func packetStreams<Value>(_ scene: Scene<Value>) throws -> (writer: Stream, reader: Stream) {
    let (left, right) = socketPair(keepsPackets: true)
    let writer = scene.keep(try Stream(loop: scene.loop, descriptor: left))
    let reader = scene.keep(try Stream(loop: scene.loop, descriptor: right))
    return (writer, reader)
  }

  /// Returns the bytes that `body` writes in one turn, for each system call.
  private func writes(_ body: @escaping @Sendable (Stream, Loop) -> Void) async throws -> [[UInt8]] {
    try await play([[UInt8]].self) { scene in
      let (writer, reader) = try packetStreams(scene)
      var packets: [[UInt8]] = []
      reader.onRead = { packets.append(Array($0)) }
      reader.onEnd = { scene.finish(packets) }
      reader.resumeReading()
      body(writer, scene.loop)
      scene.afterTurn { writer.finishWriting() }
    }
  }

  @Test("Small writes of a turn are one system call")
  func gathered() async throws {
    #expect(
      try await writes { stream, _ in
        for byte in 1...5 { stream.write([UInt8(byte)]) }
      } == [[1, 2, 3, 4, 5]])
  }

  @Test("A large write isn't gathered, and comes after the small ones before it")
  func largeWrite() async throws {
    let large = [UInt8](repeating: 7, count: Stream.gatheredBytes)
    let packets = try await writes { stream, _ in
      stream.write([1])
      stream.write([2])
      stream.write(large)
      stream.write([3])
    }
    // A read returns at most 16 KiB.
    #expect(packets == [[1, 2], large, [3]])
  }

  @Test("Small writes of a turn don't accumulate beyond a bound")
  func boundedWrites() async throws {
    let half = [UInt8](repeating: 7, count: Stream.gatheredBytes / 2)
    let packets = try await writes { stream, _ in
      for _ in 0..<4 { stream.write(half) }
    }
    #expect(packets.map(\.count) == [2 * half.count, 2 * half.count])
  }

  @Test("Shared bytes are written before the poll, in one system call with those that wait before them")
  func shared() async throws {
    let packets = try await play([[UInt8]].self) { scene in
      let (writer, reader) = try packetStreams(scene)
      var packets: [[UInt8]] = []
      reader.onRead = {
        packets.append(Array($0))
        guard packets.count == 1 else { return scene.finish(packets) }
        scene.loop.performAtEndOfTurn { ([8, 9] as [UInt8]).withUnsafeBytes { writer.write(shared: $0) } }
      }
      reader.resumeReading()
      writer.write([1])
      scene.loop.performAtEndOfTurn { ([2, 3] as [UInt8]).withUnsafeBytes { writer.write(shared: $0) } }
      writer.write([4])
    }
    #expect(packets == [[1, 4, 2, 3], [8, 9]])
  }

  @Test("Shared bytes that the kernel doesn't accept are copied, and arrive")
  func sharedQueue() async throws {
    let count = 4 << 20
    let (queued, isSame) = try await play((Int, Bool).self) { scene in
      let (left, right) = try streams(scene)
      var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      var read: [UInt8] = []
      var queued = 0
      let expected = bytes + bytes
      scene.loop.performAtEndOfTurn {
        for _ in 0..<2 { bytes.withUnsafeBytes { left.write(shared: $0) } }
        queued = left.queuedBytes
        for place in bytes.indices { bytes[place] = 0 }
        left.finishWriting()
      }
      right.onRead = { read += $0 }
      right.onEnd = { scene.finish((queued, read == expected)) }
      right.resumeReading()
    }
    #expect(queued > count && queued < 2 * count)
    #expect(isSame)
  }

  @Test("Gathered bytes are written before the poll if work follows that may take long")
  func gatheredEarly() async throws {
    let packets = try await writes { stream, loop in
      stream.write([1])
      stream.write([2])
      loop.writeGathered()
      stream.write([3])
    }
    #expect(packets == [[1, 2], [3]])
  }

  @Test("Memory counts as it is allocated: a partly accepted write keeps all of it, and none is kept in the end")
  func heldBytes() async throws {
    let count = 4 << 20
    let (queued, held, partly, left) = try await play((Int, Int, Int, Int).self) { scene in
      let (left, right) = try streams(scene)
      left.write([UInt8](repeating: 7, count: count))
      for _ in 0..<1000 { left.write([UInt8](repeating: 8, count: 1000)) }
      let queued = left.queuedBytes
      let held = left.heldBytes
      var partly = 0
      right.onRead = { _ in partly = max(partly, left.heldBytes - left.queuedBytes) }
      left.onDrain = { scene.finish((queued, held, partly, left.heldBytes)) }
      right.resumeReading()
    }
    #expect(held > queued && held < queued + queued / 8)
    #expect(partly > count / 2)
    #expect(left == 0)
  }

  @Test("What was written in the turn in which a stream is closed still arrives")
  func closedAtOnce() async throws {
    let packets = try await writes { stream, _ in
      stream.write([1])
      stream.write([2])
      stream.close()
    }
    #expect(packets == [[1, 2]])
  }

  @Test("What was written in the turn in which the loop is stopped still arrives")
  func stoppedAtOnce() async throws {
    let (left, right) = socketPair(keepsPackets: true)
    _ = try await play(Bool.self) { [number = left.release()] scene in
      let writer = scene.keep(try Stream(loop: scene.loop, descriptor: Descriptor(owning: number)))
      writer.onEnd = {
        writer.write([1])
        scene.loop.stop()
        scene.finish(true)
      }
      writer.resumeReading()
      shutdown(right.number, Int32(SHUT_WR))
    }
    var byte = [UInt8](repeating: 0, count: 2)
    #expect(read(right.number, &byte, 2) == 1)
  }

  @Test("After the peer has ended its side, writing continues")
  func halfClosed() async throws {
    let read = try await play(String.self) { scene in
      let (left, right) = try streams(scene)
      var read: [UInt8] = []
      right.onEnd = {
        right.write(Array("answer".utf8))
        right.finishWriting()
      }
      left.onRead = { read += $0 }
      left.onEnd = { scene.finish(String(decoding: read, as: UTF8.self)) }
      left.resumeReading()
      right.resumeReading()
      left.finishWriting()
    }
    #expect(read == "answer")
  }

  @Test("Bytes that the kernel doesn't accept are queued and counted, and onDrain is called when they are written")
  func queue() async throws {
    let count = 4 << 20
    let (queued, drained, isSame) = try await play((Int, Int, Bool).self) { scene in
      let (left, right) = try streams(scene)
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      left.write(bytes)
      let queued = left.queuedBytes
      var read: [UInt8] = []
      var drained = -1
      left.onDrain = {
        drained = left.queuedBytes
        left.finishWriting()
      }
      right.onRead = { read += $0 }
      right.onEnd = { scene.finish((queued, drained, read == bytes)) }
      right.resumeReading()
    }
    #expect(queued > count / 2 && queued < count)
    #expect(drained == 0)
    #expect(isSame)
  }

  @Test("The queue is drained only when later writes have been accepted too; until then all of it is counted")
  func gatheredBehindQueue() async throws {
    let (queued, drained, read) = try await play((Int, [Int], Int).self) { scene in
      let (left, right) = try streams(scene)
      left.write([UInt8](repeating: 1, count: 1 << 20))
      let before = left.queuedBytes
      for _ in 0..<1000 { left.write([UInt8](repeating: 2, count: 100)) }
      let queued = left.queuedBytes - before
      var drained: [Int] = []
      var read = 0
      left.onDrain = {
        drained.append(left.queuedBytes)
        left.finishWriting()
      }
      right.onRead = { read += $0.count }
      right.onEnd = { scene.finish((queued, drained, read)) }
      right.resumeReading()
    }
    #expect(queued == 100_000)
    #expect(drained == [0])
    #expect(read == 1 << 20 + 100_000)
  }

  @Test("Reading pauses at once, even with data pending, and no data is lost")
  func pause() async throws {
    let (calls, total) = try await play(([Int], Int).self) { scene in
      let (left, right) = try streams(scene)
      var calls: [Int] = []
      var total = 0
      var isPaused = false
      let timer = scene.keep(Timer(loop: scene.loop))
      right.onRead = {
        calls.append(isPaused ? -1 : $0.count)
        total += $0.count
        guard total < 100_000 else { return scene.finish((calls, total)) }
        right.pauseReading()
        isPaused = true
        timer.start(after: .milliseconds(1)) {
          isPaused = false
          right.resumeReading()
          right.resumeReading()
        }
      }
      right.resumeReading()
      left.write([UInt8](repeating: 7, count: 100_000))
    }
    #expect(total == 100_000)
    #expect(calls.allSatisfy { (1...(16 << 10)).contains($0) })
  }

  @Test("Writing to a closed peer is an error that is reported later, once, and raises no signal")
  func brokenPipe() async {
    await #expect(processExitsWith: .exitCode(3)) {
      signal(SIGPIPE, SIG_DFL)
      let (errors, isLater): ([SystemError], Bool) = try playHere { scene in
        let (mine, peers) = socketPair()
        let stream = scene.keep(try Stream(loop: scene.loop, descriptor: mine))
        peers.close()
        var errors: [SystemError] = []
        var hasReturned = false
        stream.onError = {
          errors.append($0)
          stream.write([3])
          scene.keep(Timer(loop: scene.loop)).start(after: .milliseconds(5)) { scene.finish((errors, hasReturned)) }
        }
        stream.write([1])
        stream.write([2])
        hasReturned = true
      }
      exit(errors == [SystemError(call: "write", errno: EPIPE)] && isLater ? 3 : 1)
    }
  }

  @Test("After close no callback is called, and the peer reads the end")
  func close() async throws {
    let calls = try await play([String].self) { scene in
      let (left, right) = try streams(scene)
      var calls: [String] = []
      right.onRead = { _ in
        calls.append("read")
        right.close()
        right.close()
        right.write([1])
        right.resumeReading()
        right.finishWriting { calls.append("finished") }
      }
      right.onEnd = { calls.append("end") }
      right.onError = { _ in calls.append("error") }
      right.resumeReading()
      left.onEnd = { scene.finish(calls) }
      left.onError = { _ in scene.finish(calls) }
      left.resumeReading()
      left.write([UInt8](repeating: 1, count: 50_000))
    }
    #expect(calls == ["read"])
  }

  @Test("A stream dropped in the middle of its writes is closed, and its memory waits for the loop")
  func droppedWhileWriting() async throws {
    let sawEnd = try await play(Bool.self) { scene in
      let (mine, peers) = socketPair()
      var stream: Stream? = try Stream(loop: scene.loop, descriptor: mine)
      for _ in 0..<4 { stream?.write([UInt8](repeating: 5, count: 1 << 20)) }
      stream?.onDrain = { scene.finish(false) }
      stream = nil
      scene.afterTurn { scene.finish(peers.readToEnd().utf8.allSatisfy { $0 == 5 }) }
    }
    #expect(sawEnd)
  }

  @Test("A stream may be dropped by its own callback")
  func droppedInside() async throws {
    let isGone = try await play(Bool.self) { scene in
      let (mine, peers) = socketPair()
      var stream: Stream? = try Stream(loop: scene.loop, descriptor: mine)
      stream?.onRead = { _ in
        stream = nil
        scene.finish(stream == nil)
      }
      stream?.resumeReading()
      scene.keep(peers).send("x")
    }
    #expect(isGone)
  }

  @Test("finishWriting closes a pipe's writing end after all queued bytes")
  func pipe() async throws {
    let count = try await play(Int.self) { scene in
      let (read, write) = try Descriptor.pipe()
      let writer = scene.keep(try Stream(loop: scene.loop, descriptor: write))
      let reader = scene.keep(try Stream(loop: scene.loop, descriptor: read))
      var count = 0
      var isFinished = false
      writer.write([UInt8](repeating: 9, count: 1 << 20))
      writer.finishWriting { isFinished = writer.isClosed }
      reader.onRead = { count += $0.count }
      reader.onEnd = { scene.finish(isFinished ? count : -1) }
      reader.resumeReading()
    }
    #expect(count == 1 << 20)
  }

  @Test("An invalid descriptor can't be a stream, and the error says so")
  func badDescriptor() async throws {
    let error = try await play(SystemError?.self) { scene in
      do throws(SystemError) {
        _ = try Stream(loop: scene.loop, descriptor: Descriptor(owning: -1))
        scene.finish(nil)
      } catch { scene.finish(error) }
    }
    #expect(error?.errno == EBADF)
  }
}

/// Creates two connected streams, kept for the scene.
private func streams<Outcome>(_ scene: Scene<Outcome>) throws -> (Stream, Stream) {
  let (left, right) = socketPair()
  return (
    scene.keep(try Stream(loop: scene.loop, descriptor: left, name: "left")),
    scene.keep(try Stream(loop: scene.loop, descriptor: right, name: "right"))
  )
}
