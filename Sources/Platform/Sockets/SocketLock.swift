internal import Glibc

// Invariants: a process that binds, replaces or removes the socket at PATH holds the lock on PATH.lock during the whole operation. The
// kernel releases the lock when the holder dies. So a socket found under the lock is stale, or belongs to another program. A file at
// PATH.lock that can't be our lock stays untouched: one of another user, one with hard links, one that contains anything but a pid. The
// guard (ChildGuard.swift) of a killed holder keeps the lock until the holder's processes have ended, and a child that was just being
// started may keep it slightly longer. The file is removed while the lock is held, so a lock is valid only if its file is still the one at
// its path. The pid only names the holder: on a full disk there is none.

/// The lock of a socket's path, held until the process ends.
package final class SocketLock {
  /// The maximum wait for the lock if its holder has ended.
  package static let patience = Duration.seconds(1)

  private let path: String
  /// The file that is locked.
  package let file: Descriptor
  /// The path to which a file was renamed that was in the place of the lock; nil if there was none.
  package let aside: String?

  /// Returns the path of the lock of a socket.
  package static func path(ofSocket path: String) -> String { path + ".lock" }

  /// Takes the lock for the socket at `socketPath` and writes this process's pid in it.
  ///
  /// `putsAside` is true if a file with other contents than a lock is renamed, because only we have files of this name there.
  package init(socketPath: String, puttingAside putsAside: Bool = false) throws(ListenerError) {
    path = SocketLock.path(ofSocket: socketPath)
    let end = ContinuousClock.now + SocketLock.patience
    let size: Int
    var aside: String?
    while true {
      let number =
        FaultInjection.refuses()
        ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
      guard number >= 0 else { throw SocketLock.openFailure(socketPath: socketPath, path: path) }
      let file = Descriptor(owning: number)
      guard let identity = FileIdentity(of: file) else { throw .system(path: path, .last("fstat", path)) }
      guard identity.kind == S_IFREG else { throw .occupied(path: path, by: identity.occupant) }
      guard identity.user == geteuid() else {
        throw .occupied(path: path, by: .fileOfAnotherUser(uid: identity.user))
      }
      guard identity.links < 2 else { throw .occupied(path: path, by: .hardLink) }
      guard !FaultInjection.refuses(), flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        guard errno == EWOULDBLOCK else { throw .system(path: path, .last("flock", path)) }
        let pid = SocketLock.readPid(file)
        guard SocketLock.isGone(pid), ContinuousClock.now < end else {
          throw .alreadyRunning(path: socketPath, pid: pid)
        }
        usleep(1000)
        continue
      }
      // The last holder may have removed the file between our open and our lock; then the lock is invalid.
      guard identity.isSame(as: FileIdentity(at: path)) else { continue }
      // Writing to it could destroy another program's file.
      guard let found = SocketLock.sizeIfLock(file) else {
        guard putsAside else { throw .occupied(path: path, by: .file) }
        let damaged = path + ".damaged"
        guard !FaultInjection.refuses(), rename(path, damaged) == 0 else {
          throw .system(path: path, .last("rename", path))
        }
        aside = damaged
        continue
      }
      self.file = file
      size = found
      break
    }
    self.aside = aside
    let pid = Array("\(getpid())\n".utf8)
    // A file that is empty, as usual, needn't be truncated.
    guard !FaultInjection.refuses(), size == 0 || ftruncate(file.number, 0) == 0,
      pwrite(file.number, pid, pid.count, 0) == pid.count
    else {
      ftruncate(file.number, 0)
      return
    }
  }

  deinit { release() }

  /// Whether the lock file is still at its path.
  package var isInPlace: Bool { FileIdentity(of: file)?.isSame(as: FileIdentity(at: path)) == true }

  /// Removes the file and releases the lock.
  ///
  /// Further calls have no effect.
  package func release() {
    guard file.number >= 0 else { return }
    if FileIdentity(of: file)?.isSame(as: FileIdentity(at: path)) == true { unlink(path) }
    file.close()
  }

  /// Whether a process is known to have ended.
  package static func isGone(_ pid: Int32?) -> Bool { pid.map(ProcessTable.isGone) ?? false }

  private static func openFailure(socketPath: String, path: String) -> ListenerError {
    let error = SystemError.last("open", path)
    switch error.errno {
    case ELOOP, EISDIR: return .occupied(path: path, by: error.errno == EISDIR ? .directory : .symbolicLink)
    default: return .system(path: socketPath, error)
    }
  }

  /// Returns the size of a file if it contains only what a lock file contains: a pid and a line break, or the beginning of these.
  private static func sizeIfLock(_ file: Descriptor) -> Int? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(file.number, &bytes, bytes.count, 0)
    guard count >= 0, count < bytes.count else { return nil }
    let isEnded = count > 0 && bytes[count - 1] == UInt8(ascii: "\n")
    let digits = bytes[..<(isEnded ? count - 1 : count)]
    return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? count : nil
  }

  private static func readPid(_ file: Descriptor) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(file.number, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let digits = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
    guard let pid = Int32(String(decoding: digits, as: UTF8.self)), pid > 0 else { return nil }
    return pid
  }
}
