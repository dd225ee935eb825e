import Glibc
import Testing

@testable import Libuv

@Suite("PrivateDirectory")
struct PrivateDirectoryTests {
  let parent = TemporaryDirectory()

  @Test("It is made when first asked for, for nobody else, once, and removed at the end")
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

  @Test("What was left in it is removed with it")
  func leftovers() throws {
    let directory = PrivateDirectory(in: parent.path)
    for name in ["a", "b"] { close(open("\(try directory.path())/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)) }
    #expect(mkdir("\(try directory.path())/c", 0o700) == 0)
    #expect(symlink("/etc", "\(try directory.path())/c/d") == 0)
    directory.remove()
    #expect(parent.names.isEmpty)
    #expect(access("/etc/passwd", F_OK) == 0, "links aren't followed")
  }

  @Test("Dropped, it is removed as well")
  func dropped() throws {
    var directory: PrivateDirectory? = PrivateDirectory(in: parent.path)
    _ = try directory?.path()
    directory = nil
    #expect(parent.names.isEmpty)
  }

  @Test("When something that tidies up has removed it, it is made anew")
  func removedByOthers() throws {
    let directory = PrivateDirectory(in: parent.path)
    #expect(rmdir(try directory.path()) == 0)
    #expect(access(try directory.path(), F_OK) == 0)
    #expect(parent.names.count == 1)
  }

  @Test("Where it can't be made where it was to be, it is made in /tmp")
  func missingParent() throws {
    let directory = PrivateDirectory(in: parent["nowhere"])
    #expect(try directory.path().hasPrefix("/tmp/initd-"))
  }

  @Test("Under a parent that is too long for a socket's address it is made in /tmp")
  func longParent() throws {
    let directory = PrivateDirectory(in: "/" + String(repeating: "x", count: PrivateDirectory.longestParent))
    #expect(try directory.path().hasPrefix("/tmp/initd-"))
    let longest = "/" + String(repeating: "x", count: PrivateDirectory.longestParent - 1)
    #expect("\(longest)/initd-XXXXXX/\(Int.max)".utf8.count <= SocketAddress.maximumPathBytes)
  }
}
