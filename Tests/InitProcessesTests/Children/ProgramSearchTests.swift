import Glibc
import TestSupport
import Testing

@testable import InitProcesses

@Suite("ProgramSearch")
struct ProgramSearchTests {
  let directory = TemporaryDirectory()

  init() {
    for name in ["a", "b", "c"] { mkdir(directory[name], 0o700) }
    directory.write("a/tool", "", mode: 0o644)
    mkdir(directory["b/tool"], 0o700)
    directory.write("c/tool", "", mode: 0o755)
    directory.write("here", "", mode: 0o755)
  }

  @Test("The first executable file is found; directories and other files are skipped")
  func first() throws {
    #expect(try ProgramSearch(path: "a:b:c", directory: directory.path).locate("tool") == "c/tool")
    #expect(try ProgramSearch(path: directory["c"], directory: nil).locate("tool") == directory["c/tool"])
  }

  @Test("An empty part of the PATH is the working directory", arguments: ["", ":/none", "/none:", "/none::/none"])
  func empty(path: String) throws {
    #expect(try ProgramSearch(path: path, directory: directory.path).locate("here") == "./here")
  }

  @Test("A path isn't searched for")
  func slash() throws {
    #expect(try ProgramSearch(path: "", directory: nil).locate("./none") == "./none")
  }

  @Test("A file that isn't executable is a different error than a missing file")
  func reasons() {
    #expect(throws: SpawnError(call: .find, errno: EACCES, program: "tool", directory: directory.path)) {
      _ = try ProgramSearch(path: "a:/none", directory: directory.path).locate("tool")
    }
    #expect(throws: SpawnError(call: .find, errno: ENOENT, program: "tool")) {
      _ = try ProgramSearch(path: "/none:/dev/null", directory: nil).locate("tool")
    }
  }
}
