import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("Directory")
struct DirectoryTests {
  let directory = TemporaryDirectory()

  @Test("All names are listed in the order of their bytes, and no more than are wanted")
  func names() throws {
    for name in ["b", "a", "Z", ".hidden", "é"] { directory.write(name, "") }
    #expect(try Directory.names(in: directory.path, atMost: 10) == [".hidden", "Z", "a", "b", "é"])
    #expect(try Directory.names(in: directory.path, atMost: 3).count == 4)
  }

  @Test("A directory that can't be read is reported")
  func unreadable() {
    directory.write("file", "")
    #expect(throws: SystemError(call: "open", errno: ENOTDIR, subject: directory["file"])) {
      try Directory.names(in: directory["file"], atMost: 1)
    }
    for number in 1...2 {
      _ = FaultInjection.refusing([number], with: EIO) {
        #expect(throws: SystemError.self) { try Directory.names(in: directory.path, atMost: 10) }
      }
    }
  }
}
