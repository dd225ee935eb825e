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
}
