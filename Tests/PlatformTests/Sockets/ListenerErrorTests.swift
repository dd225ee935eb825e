import Glibc
import Platform
import Testing

@Suite("ListenerError")
struct ListenerErrorTests {
  @Test(
    "An error says what happened, to what, why, and what to do",
    arguments: [
      (
        ListenerError.alreadyRunning(path: "/run/initd.sock", pid: 4711),
        "cannot bind /run/initd.sock: a supervisor (pid 4711) is listening there; stop it or choose another --socket"
      ),
      (
        .alreadyRunning(path: "/run/initd.sock", pid: nil),
        "cannot bind /run/initd.sock: a supervisor is listening there; stop it or choose another --socket"
      ),
      (
        .occupied(path: "/tmp/x", by: .directory),
        "cannot bind /tmp/x: a directory exists there; remove it or choose another --socket"
      ),
      (
        .occupied(path: "/tmp/x", by: .liveSocket(pid: 7)),
        "cannot bind /tmp/x: a socket of another program (pid 7) exists there; remove it or choose another --socket"
      ),
      (
        .pathUnusable(path: String(repeating: "x", count: 150), maximum: 107),
        "cannot bind \(String(repeating: "x", count: 150)): the path has 150 bytes, the maximum is 107; "
          + "choose a shorter --socket"
      ),
      (
        .pathUnusable(path: "\0" + String(repeating: "x", count: 106), maximum: 107),
        "cannot bind the socket: its path contains NUL; choose another --socket"
      ),
      (.pathUnusable(path: "", maximum: 107), "cannot bind the socket: its path is empty; choose another --socket"),
      (
        .system(path: "/none/s", SystemError(call: "open", errno: ENOENT)),
        "cannot bind /none/s: its directory doesn't exist; create it or choose another --socket"
      ),
      (
        .system(path: "/run/s", SystemError(call: "open", errno: EACCES, subject: "/run/s.lock")),
        "cannot bind /run/s: cannot open /run/s.lock: Permission denied; "
          + "let this user write there, or choose another --socket"
      ),
      (
        .system(path: "/run/s", SystemError(call: "bind", errno: ENOSPC, subject: "/run/s.new")),
        "cannot bind /run/s: cannot bind /run/s.new: No space left on device; fix this, or choose another --socket"
      ),
    ] as [(ListenerError, String)])
  func descriptions(error: ListenerError, text: String) {
    #expect(error.description == text)
  }
}
