import Glibc
import TestSupport
import Testing

@testable import InitRunner
@testable import Platform

@Suite("StableFile")
struct StableFileTests {
  let directory = TemporaryDirectory()

  private func read(_ name: String, _ take: (UnsafeRawBufferPointer) -> Bool) -> StableFile.Failure? {
    do throws(StableFile.Failure) {
      try StableFile.read(directory[name], take)
      return nil
    } catch { return error }
  }

  /// Writes a file that is too large for an argument of a process.
  private func write(_ name: String, _ text: String) {
    let file = Descriptor(owning: open(directory[name], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
    #expect(Glibc.write(file.number, text, text.utf8.count) == text.utf8.count)
  }

  private func append(_ text: String, to name: String) {
    let file = Descriptor(owning: open(directory[name], O_WRONLY | O_APPEND | O_CLOEXEC))
    #expect(Glibc.write(file.number, text, text.utf8.count) == text.utf8.count)
  }

  @Test("All bytes of a file are read, in order, even if its path is a link")
  func contents() {
    let text = String(repeating: "0123456789", count: 20_000)
    write("file", text)
    symlink("file", directory["link"])
    for name in ["file", "link"] {
      var bytes: [UInt8] = []
      #expect(
        read(name) {
          bytes += $0
          return true
        } == nil)
      #expect(bytes == Array(text.utf8))
    }
    write("empty", "")
    #expect(read("empty") { _ in true } == nil)
  }

  @Test("A file that is changed while it is read has no contents, even if it was just written")
  func changed() {
    for change in ["append", "overwrite", "replace", "truncate"] {
      write("file", String(repeating: "a", count: 100_000))
      let failure = read("file") { _ in
        switch change {
        case "append": append("b", to: "file")
        case "overwrite":
          let file = Descriptor(owning: open(directory["file"], O_WRONLY | O_CLOEXEC))
          #expect(pwrite(file.number, "b", 1, 99_999) == 1)
        case "replace":
          write("new", "b")
          #expect(rename(directory["new"], directory["file"]) == 0)
        default: #expect(truncate(directory["file"], 70_000) == 0)
        }
        return true
      }
      #expect(failure == .changed, "\(change)")
    }
  }

  @Test("A file that was just changed is read only when the next change would show")
  func recent() {
    write("file", "a")
    #expect(read("file") { _ in true } == nil)
    var (status, now) = (stat(), timespec())
    #expect(stat(directory["file"], &status) == 0)
    clock_gettime(CLOCK_REALTIME, &now)
    let changed = Duration.seconds(status.st_ctim.tv_sec) + .nanoseconds(status.st_ctim.tv_nsec)
    // The wait of 20 ms is cut to whole microseconds.
    #expect(.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - changed >= .milliseconds(19))
  }

  @Test("Reading ends when it is told to, and other kinds of files are refused")
  func refused() {
    write("file", String(repeating: "a", count: 200_000))
    var count = 0
    #expect(
      read("file") { _ in
        count += 1
        return count < 2
      } == .stopped)
    #expect(count == 2)
    mkfifo(directory["fifo"], 0o600)
    #expect(read("fifo") { _ in true } == .unopened(.irregular("a named pipe")))
    #expect(
      read("nothing") { _ in true }
        == .unopened(.system(SystemError(call: "open", errno: ENOENT, subject: directory["nothing"]))))
  }

  @Test("A failing system call is reported")
  func failing() {
    write("file", "text")
    // After the first time it is old enough, and is read with the same calls each time.
    #expect(read("file") { _ in true } == nil)
    let calls = FaultInjection.refusing([], with: EIO) { #expect(read("file") { _ in true } == nil) }
    #expect(calls >= 5)
    for number in 1...calls {
      var failure: StableFile.Failure?
      _ = FaultInjection.refusing([number], with: EIO) { failure = read("file") { _ in true } }
      #expect(failure != nil, "call \(number)")
    }
  }
}
