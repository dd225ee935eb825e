internal import Glibc
internal import Testing

@testable internal import initfleet

/// The log of a program whose standard error isn't read.
@Suite("The writer of the log")
struct LogWriterTests {
  @Test("if the log isn't read, further lines are lost, and their number is reported")
  func lostLines() throws {
    let pipe = try Pipe()
    let writer = LogWriter(to: pipe.input)
    let line = String(repeating: "x", count: 99) + "\n"
    pipe.fill()
    for number in 1...1500 { writer.write("\(number)\n\(line)") { "\($0) lost\n" } }
    let lines = pipe.read(until: " lost\n").split(separator: "\n").map(String.init)
    let numbers = lines.compactMap { Int($0) }
    let lost = try #require(lines.last?.split(separator: " ").first.flatMap { Int($0) })
    #expect(numbers == Array(1...numbers.count))
    // The line that is being written may have left the queue.
    #expect([1000, 1001].contains(numbers.count))
    #expect(lost == 1500 - numbers.count)
  }

  @Test("all lines are written before the program ends")
  func flush() throws {
    let pipe = try Pipe()
    let writer = LogWriter(to: pipe.input)
    for number in 1...100 { writer.write("\(number)\n") { "\($0) lost\n" } }
    writer.flush()
    #expect(pipe.read(until: "100\n", patience: 0) == (1...100).map { "\($0)\n" }.joined())
  }
}

/// A pipe.
private final class Pipe {
  let input: Int32
  private let output: Int32
  /// The number of bytes that filled it.
  private var filled = 0

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    (output, input) = (ends[0], ends[1])
  }

  deinit {
    close(input)
    close(output)
  }

  /// Writes until the pipe takes no more.
  func fill() {
    let flags = fcntl(input, F_GETFL)
    _ = fcntl(input, F_SETFL, flags | O_NONBLOCK)
    let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 512)
    while true {
      let count = Glibc.write(input, bytes, bytes.count)
      guard count > 0 else { break }
      filled += count
    }
    _ = fcntl(input, F_SETFL, flags)
  }

  /// Reads until the text ends with `end`, or nothing comes for `patience`, in milliseconds; leaves out what filled
  /// the pipe.
  func read(until end: String, patience: Int32 = 10_000) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    var output = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    while !bytes.reversed().starts(with: end.utf8.reversed()), poll(&output, 1, patience) == 1 {
      let count = Glibc.read(self.output, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes.dropFirst(filled), as: UTF8.self)
  }
}
