import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("WorkingDirectory")
struct WorkingDirectoryTests {
  @Test("A relative path becomes absolute, an absolute and an empty one stay")
  func absolute() throws {
    let here = String(cString: try #require(getcwd(nil, 0)))
    #expect(WorkingDirectory.absolute("s") == here + "/s")
    #expect(WorkingDirectory.absolute("./a/s") == here + "/./a/s")
    #expect(WorkingDirectory.absolute("/run/s") == "/run/s")
    #expect(WorkingDirectory.absolute("") == "")
  }

  @Test("A socket's path stays relative if the absolute one is too long")
  func socket() {
    let long = String(repeating: "x", count: 107)
    #expect(WorkingDirectory.absoluteSocket(long) == long)
    #expect(WorkingDirectory.absoluteSocket("/" + long) == "/" + long)
  }

  @Test("A path in the root has one slash; if the working directory is unknown, the path is unchanged")
  func places() async {
    await #expect(processExitsWith: .success) {
      chdir("/")
      #expect(WorkingDirectory.absolute("s") == "/s")
      let directory = TemporaryDirectory()
      chdir(directory.path)
      rmdir(directory.path)
      #expect(WorkingDirectory.absolute("s") == "s")
      #expect(WorkingDirectory.absoluteSocket("s") == "s")
    }
  }
}
