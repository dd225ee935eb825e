import Glibc
import TestSupport
import Testing

@testable import InitProcesses
@testable import Platform

@Suite("OutputFile")
struct OutputFileTests {
  let directory = TemporaryDirectory()

  private func left(_ bytes: [UInt8], in file: OutputFile) {
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
  }

  @Test("The contents are read once, completely, and the file is removed")
  func taken() throws {
    let file = OutputFile(path: directory["out"])
    #expect(try file.readAndRemove(limit: 10) == nil)
    left(Array("12345".utf8), in: file)
    #expect(try file.readAndRemove(limit: 5) == Array("12345".utf8))
    #expect(try file.readAndRemove(limit: 5) == nil)
    left([], in: file)
    #expect(try file.readAndRemove(limit: 5) == nil)
    #expect(directory.names.isEmpty)
  }

  @Test("A file that is too large is refused, and removed")
  func tooLarge() {
    let file = OutputFile(path: directory["out"])
    left([UInt8](repeating: 1, count: 200_000), in: file)
    #expect(throws: OutputFileError.tooLarge(limit: 199_999)) { try file.readAndRemove(limit: 199_999) }
    #expect(directory.names.isEmpty)
  }

  @Test("A directory, a link and a pipe are refused without opening them, and removed")
  func notAFile() {
    let file = OutputFile(path: directory["out"])
    func full() -> Int32 {
      let made = mkdir(file.path, 0o700) + mkdir("\(file.path)/inner", 0o700)
      return made + symlink("/etc", "\(file.path)/inner/link")
    }
    for make in [full, { symlink("/etc/passwd", file.path) }, { mkfifo(file.path, 0o600) }] {
      #expect(make() == 0)
      #expect(throws: OutputFileError.notAFile) { try file.readAndRemove(limit: 10) }
      #expect(directory.names.isEmpty)
    }
  }
}
