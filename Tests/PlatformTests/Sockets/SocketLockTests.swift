import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("SocketLock")
struct SocketLockTests {
  let directory = TemporaryDirectory()
  var path: String { directory["s"] }

  @Test("One process holds the lock, and the next one gets its pid; after release it is free")
  func exclusive() throws {
    let first = try SocketLock(socketPath: path)
    #expect(throws: ListenerError.alreadyRunning(path: path, pid: getpid())) { _ = try SocketLock(socketPath: path) }
    first.release()
    first.release()
    #expect(directory.names == [])
    _ = try SocketLock(socketPath: path)
  }

  @Test("A holder whose lock file was removed doesn't remove its successor's file")
  func removed() throws {
    let first = try SocketLock(socketPath: path)
    unlink(directory["s.lock"])
    let second = try SocketLock(socketPath: path)
    first.release()
    #expect(directory.names == ["s.lock"])
    #expect(throws: ListenerError.alreadyRunning(path: path, pid: getpid())) { _ = try SocketLock(socketPath: path) }
    second.release()
  }

  @Test("Under contention only one process holds the lock; a lock on a removed file is invalid")
  func removedMeanwhile() async {
    let path = path
    let holders = Monitor((now: 0, most: 0, times: 0))
    let executor = ThreadExecutor(name: "locks")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask(executorPreference: executor) {
          for _ in 0..<5000 {
            guard let lock = try? SocketLock(socketPath: path) else { continue }
            holders.withLock {
              $0.now += 1
              $0.most = max($0.most, $0.now)
              $0.times += 1
            }
            sched_yield()
            holders.withLock { $0.now -= 1 }
            lock.release()
          }
        }
      }
    }
    let (_, most, times) = holders.withLock { $0 }
    #expect(most == 1 && times > 100)
  }

  @Test("A lock file without a pid names no holder", arguments: ["", "x\n", "-5\n", "99999999999\n", "0\n"])
  func unreadable(text: String) throws {
    let lock = try SocketLock(socketPath: path)
    directory.write("s.lock", text, mode: 0o600)
    #expect(throws: ListenerError.alreadyRunning(path: path, pid: nil)) { _ = try SocketLock(socketPath: path) }
    lock.release()
  }

  @Test("A path that isn't a regular file of this user is refused as a lock")
  func occupied() throws {
    mkdir(directory["a.lock"], 0o700)
    symlink("/nowhere", directory["b.lock"])
    mkfifo(directory["c.lock"], 0o600)
    #expect(throws: ListenerError.occupied(path: directory["a.lock"], by: .directory)) {
      _ = try SocketLock(socketPath: directory["a"])
    }
    #expect(throws: ListenerError.occupied(path: directory["b.lock"], by: .symbolicLink)) {
      _ = try SocketLock(socketPath: directory["b"])
    }
    #expect(throws: ListenerError.occupied(path: directory["c.lock"], by: .other)) {
      _ = try SocketLock(socketPath: directory["c"])
    }
    #expect(directory.names == ["a.lock", "b.lock", "c.lock"])
  }

  @Test("A file with hard links, or with other contents than a pid, is refused as a lock and stays unchanged")
  func precious() throws {
    for (name, text) in [("a", "precious\n"), ("b", "12 3\n"), ("c", "1234567890123456\n"), ("d", "1\n2\n")] {
      let lock = directory[name + ".lock"]
      directory.write(name + ".lock", text)
      #expect(throws: ListenerError.occupied(path: lock, by: .file)) { _ = try SocketLock(socketPath: directory[name]) }
      #expect(Descriptor(owning: open(lock, O_RDONLY | O_CLOEXEC)).readToEnd() == text)
    }
    directory.write("other", "1\n")
    #expect(link(directory["other"], directory["s.lock"]) == 0)
    #expect(throws: ListenerError.occupied(path: directory["s.lock"], by: .hardLink)) {
      _ = try SocketLock(socketPath: path)
    }
    #expect(Descriptor(owning: open(directory["other"], O_RDONLY | O_CLOEXEC)).readToEnd() == "1\n")
    // An incomplete pid: its writer was killed.
    for (name, text) in [("e", ""), ("f", "12")] {
      directory.write(name + ".lock", text)
      _ = try SocketLock(socketPath: directory[name])
    }
  }

  @Test("In a directory of our own, a file that can't be a lock is renamed, and stays unchanged")
  func aside() throws {
    directory.write("s.lock", "precious\n")
    let lock = try SocketLock(socketPath: path, puttingAside: true)
    #expect(lock.aside == directory["s.lock.damaged"])
    #expect(Descriptor(owning: open(directory["s.lock.damaged"], O_RDONLY | O_CLOEXEC)).readToEnd() == "precious\n")
    #expect(lock.isInPlace)
    lock.release()
    #expect(try SocketLock(socketPath: path, puttingAside: true).aside == nil)
  }

  @Test("The lock of a killed process is free, regardless of the file's contents")
  func killed() throws {
    directory.write("s.lock", "1\n", mode: 0o600)
    let lock = try SocketLock(socketPath: path)
    let text = Descriptor(owning: open(directory["s.lock"], O_RDONLY | O_CLOEXEC)).readToEnd()
    #expect(text == "\(getpid())\n")
    lock.release()
  }
}
