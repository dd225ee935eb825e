import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("SocketPlace")
struct SocketPlaceTests {
  let directory = TemporaryDirectory()

  @Test("An existing file of any kind isn't replaced")
  func notReplaced() throws {
    for (name, make) in [
      ("file", { directory.write("file", "precious") }), ("directory", { mkdir(directory["directory"], 0o700) }),
      ("link", { symlink("nowhere", directory["link"]) }), ("fifo", { mkfifo(directory["fifo"], 0o600) }),
    ] as [(String, () -> Any)] {
      let place = try SocketPlace(path: directory[name])
      let lock = try SocketLock(socketPath: directory[name])
      let fresh = try #require(place.temporary(lock))
      _ = try fresh.bind(mode: 0o600, group: nil)
      _ = make()
      let before = try #require(place.identity)
      #expect(throws: SystemError(call: "rename", errno: EEXIST, subject: directory[name + ".new"])) {
        try fresh.rename(to: place)
      }
      #expect(before.isSame(as: place.identity))
    }
  }

  @Test("The mode is exact, regardless of the umask, and the directory's path may change")
  func mode() async {
    await #expect(processExitsWith: .success) {
      umask(0o777)
      let directory = TemporaryDirectory()
      #expect(mkdir(directory["a"], 0) == 0)
      #expect(chmod(directory["a"], 0o700) == 0)
      let place = try SocketPlace(path: directory["a/s"])
      #expect(rename(directory["a"], directory["b"]) == 0)
      let fresh = try #require(place.temporary(SocketLock(socketPath: directory["lock"])))
      // The path in the socket's address doesn't exist any more.
      #expect(throws: SystemError.self) { try fresh.bind(mode: 0o640, group: nil) }
      #expect(rename(directory["b"], directory["a"]) == 0)
      let (_, identity) = try fresh.bind(mode: 0o640, group: nil)
      #expect(identity.mode == 0o640)
      #expect(umask(0) == 0o777)
    }
  }

  @Test("A temporary name fits wherever the socket's name fits, and is unique to its lock")
  func temporary() throws {
    let names = [
      "s", String(repeating: "n", count: 103), String(repeating: "n", count: 104), String(repeating: "n", count: 107),
    ]
    var locks: [SocketLock] = []
    var found: Set<String> = []
    for name in names {
      // Only the names matter here: such a path is relative.
      let place = try SocketPlace(path: name)
      let lock = try SocketLock(socketPath: directory[name])
      locks.append(lock)
      let fresh = try #require(place.temporary(lock))
      #expect(fresh.path.utf8.count <= 107)
      found.insert(fresh.path)
    }
    #expect(found.count == names.count)
  }

  @Test("A path is split into directory and name, even in the root and in the working directory")
  func parts() throws {
    #expect(try SocketPlace(path: "/").identity?.kind == S_IFDIR)
    #expect(try SocketPlace(path: directory.path + "/").identity?.kind == S_IFDIR)
    #expect(try SocketPlace(path: "/etc").identity?.kind == S_IFDIR)
    #expect(throws: ListenerError.self) { try SocketPlace(path: "/etc/passwd/s") }
    #expect(throws: ListenerError.pathUnusable(path: "", maximum: 107)) { try SocketPlace(path: "") }
  }
}
