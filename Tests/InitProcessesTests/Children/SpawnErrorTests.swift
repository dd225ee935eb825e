import Glibc
import InitProcesses
import Platform
import Testing

@Suite("SpawnError")
struct SpawnErrorTests {
  @Test(
    "An error says what happened, to what, why, and what to do",
    arguments: [
      (
        SpawnError(call: .find, errno: ENOENT, program: "migrate"),
        "cannot start migrate: there is no such program in its PATH; install it or give its full path"
      ),
      (
        SpawnError(call: .find, errno: ENOENT, program: "./migrate"),
        "cannot start ./migrate: there is no such file; install it or correct the path"
      ),
      (
        SpawnError(call: .execute, errno: ENOENT, program: "./migrate"),
        "cannot start ./migrate: its interpreter is missing; check its first line"
      ),
      (
        SpawnError(call: .execute, errno: EACCES, program: "/etc/passwd"),
        "cannot start /etc/passwd: not permitted to execute it; make it executable (chmod +x)"
      ),
      (
        SpawnError(call: .changeDirectory, errno: ENOENT, program: "true", directory: "/none"),
        "cannot start true: its working directory /none: No such file or directory; create it or choose another"
      ),
    ])
  func descriptions(error: SpawnError, text: String) {
    #expect(error.description == text)
  }

  @Test("The exit status is 127 if the program isn't found, and 126 for other errors")
  func notFound() {
    #expect(SpawnError(call: .find, errno: ENOENT, program: "x").isNotFound)
    #expect(!SpawnError(call: .find, errno: EACCES, program: "x").isNotFound)
    #expect(!SpawnError(call: .execute, errno: ENOENT, program: "x").isNotFound)
    #expect(!SpawnError(call: .changeDirectory, errno: ENOENT, program: "x").isNotFound)
  }
}
