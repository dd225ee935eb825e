import Glibc
import TestSupport
import Testing

@testable import EventLoop
@testable import InitProcesses
@testable import Platform

@Suite("OutputPipe")
struct OutputPipeTests {
  @Test("More lines than a turn reads are all reported, even if no further data arrives")
  func manyLines() throws {
    let loop = try Loop()
    let (read, write) = try Descriptor.pipe()
    let count = 2000
    var lines = 0
    let pipe = try OutputPipe(loop: loop, descriptor: read, lineLimit: 100) { _ in
      lines += 1
      if lines == count { loop.stop() }
    }
    write.send(String(repeating: "x\n", count: count), pipe: true)
    let timer = Timer(loop: loop)
    timer.start(after: .seconds(30)) { loop.stop() }
    loop.run()
    #expect(lines == count)
    pipe.close()
    timer.close()
    try loop.close()
  }

  @Test("Many lines are read in several turns, so that others get theirs, even if further ones arrive in the meantime")
  func turns() throws {
    let loop = try Loop()
    let (read, write) = try Descriptor.pipe()
    let count = 10_000
    let lines = String(repeating: "x\n", count: count)
    var turns: [Int] = []
    let pipe = try OutputPipe(loop: loop, descriptor: read, lineLimit: 100) { _ in
      if turns.isEmpty { write.send(lines, pipe: true) }
      turns.append(loop.turn)
      if turns.count == 2 * count { loop.stop() }
    }
    write.send(lines, pipe: true)
    loop.run()
    #expect(turns.count == 2 * count)
    // The pipe reads 4 KiB at once, which are 2048 of these lines.
    #expect(Set(turns).count == 10)
    pipe.close()
    try loop.close()
  }

  @Test("The whole content of a full pipe is read when the command has exited, and the end of its text is a line")
  func full() throws {
    let loop = try Loop()
    let (read, write) = try Descriptor.pipe()
    var sizes: [Int] = []
    let pipe = try OutputPipe(loop: loop, descriptor: read, lineLimit: 100_000) { sizes.append($0.count) }
    write.makeNonBlocking()
    write.send("first\n" + String(repeating: "x", count: 64 * 1024 - 6), pipe: true)
    #expect(Glibc.write(write.number, "y", 1) < 0, "the pipe isn't full")
    pipe.drain()
    #expect(sizes == [5, 64 * 1024 - 6])
    pipe.close()
    try loop.close()
  }

  @Test("When the command has exited, text without a newline is its last line, even if the pipe is still open")
  func unfinished() throws {
    let loop = try Loop()
    let (read, write) = try Descriptor.pipe()
    var lines: [String] = []
    let pipe = try OutputPipe(loop: loop, descriptor: read, lineLimit: 100) {
      lines.append(String(decoding: $0, as: UTF8.self))
    }
    write.send("one\ntwo", pipe: true)
    pipe.drain()
    #expect(lines == ["one", "two"])
    pipe.close()
    try loop.close()
  }
}
