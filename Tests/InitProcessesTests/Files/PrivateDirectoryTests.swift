import Glibc
import TestSupport
import Testing

@testable import InitProcesses
@testable import Platform

@Suite("PrivateDirectory")
struct PrivateDirectoryTests {
  let parent = TemporaryDirectory()

  @Test("It is created once at first use, without access for other users, and removed at the end")
  func life() throws {
    let directory = PrivateDirectory(in: parent.path)
    #expect(parent.names.isEmpty)
    let path = try directory.path()
    var found = stat()
    #expect(stat(path, &found) == 0 && found.st_mode & 0o777 == 0o700)
    #expect(try directory.path() == path)
    #expect(parent.names.count == 1)
    directory.remove()
    directory.remove()
    #expect(parent.names.isEmpty)
  }

  @Test("Other users may traverse it for their files; if they can't reach it, these are in a directory in /tmp")
  func passable() throws {
    #expect(chmod(parent.path, 0o711) == 0)
    let directory = PrivateDirectory(in: parent.path)
    #expect(try directory.passablePath() == directory.path())
    #expect(FileIdentity(at: try directory.path())?.mode == 0o711)
    #expect(chmod(parent.path, 0o700) == 0)
    let other = try directory.passablePath()
    #expect(other.hasPrefix("/tmp/initd-run-"))
    #expect(try directory.passablePath() == other)
    #expect(FileIdentity(at: other)?.mode == 0o711)
    #expect(try directory.path() != other)
    directory.remove()
    #expect(access(other, F_OK) != 0)
  }

  @Test("Its contents are removed with it")
  func leftovers() throws {
    let directory = PrivateDirectory(in: parent.path)
    for name in ["a", "b"] { close(open("\(try directory.path())/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)) }
    #expect(mkdir("\(try directory.path())/c", 0o700) == 0)
    #expect(symlink("/etc", "\(try directory.path())/c/d") == 0)
    directory.remove()
    #expect(parent.names.isEmpty)
    #expect(access("/etc/passwd", F_OK) == 0, "links aren't followed")
  }

  @Test("It is removed when it is dropped")
  func dropped() throws {
    var directory: PrivateDirectory? = PrivateDirectory(in: parent.path)
    _ = try directory?.path()
    directory = nil
    #expect(parent.names.isEmpty)
  }

  @Test("If a cleaner of temporary files has removed it, it is created again")
  func removedByOthers() throws {
    let directory = PrivateDirectory(in: parent.path)
    let first = try directory.path()
    #expect(rmdir(first) == 0)
    // Another user's directory at its path isn't used.
    #expect(mkdir(first, 0o700) == 0)
    #expect(try directory.path() != first)
    directory.remove()
    #expect(parent.names == [String(first.dropFirst(parent.path.count + 1))])
    #expect(rmdir(first) == 0)
    #expect(access(try directory.path(), F_OK) == 0)
    #expect(parent.names.count == 1)
  }

  @Test("If its parent can't be used, it is created in /tmp, and the reason is reported once")
  func unusableParent() throws {
    chmod(parent.path, 0o777)
    let reasons = [
      parent["nowhere"]: "No such file or directory", "relative": "it isn't an absolute path",
      "": "it isn't an absolute path",
      parent.path: "other users may write in it, and it isn't sticky (chmod +t)",
      "/" + String(repeating: "x", count: 70): "it is longer than 70 bytes",
    ]
    for (parent, reason) in reasons {
      let directory = PrivateDirectory(in: parent)
      var told: [String] = []
      directory.onFallback = { told.append($0) }
      #expect(try directory.path().hasPrefix("/tmp/initd-"))
      #expect(rmdir(try directory.path()) == 0)
      _ = try directory.path()
      #expect(told == ["cannot use \(parent): \(reason); /tmp is used instead"])
    }
    chmod(parent.path, 0o1777)
    #expect(try PrivateDirectory(in: parent.path).path().hasPrefix(parent.path))
  }

  @Test(
    "The directory of an ended process is removed by the next one; locked directories and other files stay"
  )
  func abandoned() throws {
    let held = PrivateDirectory(in: parent.path)
    _ = try held.path()
    let others = ["initd-run-abcde", "initd-run-abcdefg", "initd-abcdef", "initd-run-public"]
    for name in others { #expect(mkdir(parent[name], name.hasSuffix("c") ? 0o755 : 0o700) == 0) }
    #expect(symlink("/etc", parent["initd-run-linked"]) == 0)
    parent.write("initd-run-a-file", "")
    #expect(mkdir(parent["initd-run-abcdef"], 0o700) == 0)
    parent.write("initd-run-abcdef/output-1", "secret")
    let before = Set(parent.names)
    PrivateDirectory(in: parent.path).removeAbandoned()
    #expect(Set(parent.names) == before.subtracting(["initd-run-abcdef"]))
  }

  @Test("If its parent's path is too long for a socket's address, it is created in /tmp")
  func longParent() throws {
    let directory = PrivateDirectory(in: "/" + String(repeating: "x", count: PrivateDirectory.longestParent))
    #expect(try directory.path().hasPrefix("/tmp/initd-"))
    let existing = parent[String(repeating: "x", count: PrivateDirectory.longestParent - parent.path.utf8.count - 1)]
    #expect(existing.utf8.count == PrivateDirectory.longestParent)
    #expect(mkdir(existing, 0o700) == 0)
    #expect(try PrivateDirectory(in: existing).path().hasPrefix(existing))
    let longest = "/" + String(repeating: "x", count: PrivateDirectory.longestParent - 1)
    #expect("\(longest)/initd-XXXXXX/\(Int.max)".utf8.count <= SocketAddress.maximumPathBytes)
  }
}
