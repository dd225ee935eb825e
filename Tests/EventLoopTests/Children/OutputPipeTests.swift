import TestSupport
import Testing

@testable import EventLoop
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
