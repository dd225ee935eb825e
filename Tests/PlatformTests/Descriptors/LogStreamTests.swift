import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("LogStream")
struct LogStreamTests {
  /// A log whose reader is behind: nothing can be written before something is read.
  private struct Unread {
    let log: LogStream
    private let read: Descriptor
    private let write: Descriptor

    init() throws {
      (read, write) = try Descriptor.pipe()
      read.makeNonBlocking()
      write.makeNonBlocking()
      let filling = [UInt8](repeating: UInt8(ascii: "-"), count: 4096)
      for size in [filling.count, 1] { while Glibc.write(write.number, filling, size) > 0 {} }
      log = LogStream(to: write.number) { "lost \($0)" }
    }

    /// Reads the available bytes, once.
    func readSome() -> String {
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      let count = Glibc.read(read.number, &buffer, buffer.count)
      return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    /// Reads until the log has nothing more to write, without the filling.
    func readAll() -> [String] {
      var text = ""
      repeat { text += readSome() } while !log.isDrained
      text += readSome()
      return text.drop { $0 == "-" }.split(separator: "\n").map(String.init)
    }
  }

  @Test("As many bytes are queued as there is room for, and not one more", arguments: [0, 1])
  func room(more: Int) throws {
    let unread = try Unread()
    let line = String(repeating: "x", count: LogStream.room - 1 + more)
    unread.log.write(line)
    #expect(unread.readAll() == (more == 0 ? [line] : ["lost 1"]))
  }

  @Test("After a lost line all further ones are lost, until their number is reported, once")
  func lost() throws {
    let unread = try Unread()
    let line = String(repeating: "x", count: LogStream.room - 1)
    for line in [line, "a", "b"] { unread.log.write(line) }
    // Now there is room for a short one, but it would precede the report.
    let text = unread.readSome()
    #expect(text.hasPrefix("-"))
    unread.log.write("c")
    #expect(unread.readAll() == [line, "lost 3"])
    for line in ["d", "e"] { unread.log.write(line) }
    #expect(unread.readAll() == ["d", "e"])
  }

  @Test("If a line was written incompletely, the report of its loss is a line of its own")
  func incomplete() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let directory = TemporaryDirectory()
      let file = Descriptor(owning: open(directory["log"], O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600))
      let log = LogStream(to: file.number) { "lost \($0)" }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      limit.rlim_cur = 10
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      log.write("more than ten bytes")
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      log.write("next")
      lseek(file.number, 0, SEEK_SET)
      #expect(file.readToEnd() == "more than \nlost 1\nnext\n")
    }
  }
}
