internal import Glibc
package import Platform

// Invariants:
//
// 1. Other users can neither write in it nor replace it: its parent belongs to root or to this user, and is sticky or writable only for its
//    owner. If the directory's name is removed, that name is never used again.
// 2. The owner holds the lock of the directory while it lives; the kernel releases the lock at the end. So a directory of our user with a
//    free lock was left by a killed process, and the next process removes it. The guard (ChildGuard.swift) removes it earlier.

/// A private directory for sockets and files of children: created at first use, and removed at the end.
package final class PrivateDirectory {
  /// The longest parent path for which a socket's path still fits.
  package static let longestParent = 70

  /// The parent if the intended one can't be used.
  private static let last = "/tmp"
  /// The prefix of the directory's name; six more characters follow.
  private static let prefix = "initd-run-"
  /// How often another name is tried if another process removed the new directory as abandoned.
  private static let attempts = 8

  /// The mode of the directory if a command of another user has files in it.
  static let passableMode: UInt32 = 0o711

  /// A created directory.
  private struct Made {
    let path: String
    let identity: FileIdentity
    /// The descriptor that holds the lock of the directory.
    let file: Descriptor
    let guarded: ChildGuard.Slot?
  }

  private let parent: String
  private let variable: String?
  private let childGuard: () -> ChildGuard?
  private var current: Made?
  /// The directory in `/tmp` for other users, if they can't reach this one; created at first use.
  private var elsewhere: PrivateDirectory?
  private var hasFallenBack = false
  /// Called once with the reason if it isn't in the intended parent.
  package var onFallback: ((String) -> Void)?

  /// - Parameters:
  ///   - parent: the parent of the directory, as an absolute path; `/tmp` if it can't be used.
  ///   - variable: the environment variable that contains the parent; nil for none. If the variable isn't UTF-8, `parent` differs from it,
  ///     and can't be used.
  ///   - childGuard: returns the guard that removes the directory if this process is killed; called when the directory is created; nil for
  ///     none.
  package init(
    in parent: String, from variable: String? = nil, guardedBy childGuard: @escaping () -> ChildGuard? = { nil }
  ) {
    self.parent = parent
    self.variable = variable
    self.childGuard = childGuard
  }

  /// Returns the usual parent: `$XDG_RUNTIME_DIR`, else `$TMPDIR`, else `/dev/shm`, else `/tmp`; and the name of the variable, if one is
  /// used.
  package static func usualParent(_ variables: [String: String]) -> (path: String, variable: String?) {
    let variable = ["XDG_RUNTIME_DIR", "TMPDIR"].first { variables[$0]?.isEmpty == false }
    let sharedMemory = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : nil
    return (variable.flatMap { variables[$0] }.map(WorkingDirectory.absolute) ?? sharedMemory ?? last, variable)
  }

  deinit { remove() }

  /// The last created directory.
  package var made: String? { current?.path }

  /// Returns the path of the directory.
  ///
  /// The directory is created again if a cleaner of temporary files has removed it.
  ///
  /// - Throws: the reason why the directory can't be created.
  package func path() throws(SystemError) -> String {
    if let current {
      if current.identity.isSame(as: FileIdentity(at: current.path)) { return current.path }
      forget(current)
    }
    var why =
      ProcessEnvironment.firstSetThatIsNoText(of: variable.map { [$0] } ?? []).map { "$\($0) isn't UTF-8" }
      ?? Self.fault(of: parent)
    if why == nil {
      do throws(SystemError) {
        return try make(in: parent)
      } catch {
        // The file system may be full, or the parent may be removed.
        guard parent != Self.last else { throw error }
        why = "\(error)"
      }
    }
    let path = try make(in: Self.last)
    if !hasFallenBack, let why { onFallback?("cannot use \(parent): \(why); \(Self.last) is used instead") }
    hasFallenBack = true
    return path
  }

  /// Returns the path of a directory that other users may traverse, for files of their own: usually the same directory.
  ///
  /// They see no names in it. If they can't reach the parent, e.g. root's `$XDG_RUNTIME_DIR`, it is a directory in `/tmp`.
  ///
  /// - Throws: the reason why the directory can't be created.
  package func passablePath() throws(SystemError) -> String {
    let path = try path()
    guard Self.isReachable(path) else {
      let directory = elsewhere ?? PrivateDirectory(in: Self.last, guardedBy: childGuard)
      elsewhere = directory
      return try Self.passable(directory.path())
    }
    return try Self.passable(path)
  }

  /// Lets other users traverse the directory at a path, and returns the path.
  private static func passable(_ path: String) throws(SystemError) -> String {
    guard !FaultInjection.refuses(), chmod(path, passableMode) == 0 else { throw .last("chmod", path) }
    return path
  }

  /// Whether all users may traverse the directories that lead to a path.
  private static func isReachable(_ path: String) -> Bool {
    var parent = path[...]
    while let slash = parent.lastIndex(of: "/") {
      parent = parent[..<slash]
      guard let found = FileIdentity(behind: parent.isEmpty ? "/" : String(parent)), found.mode & 0o001 != 0 else {
        return false
      }
    }
    return true
  }

  /// Removes the directory with its contents.
  package func remove() {
    elsewhere?.remove()
    guard let current else { return }
    if current.identity.isSame(as: FileIdentity(at: current.path)) { FileTree.remove(current.path) }
    forget(current)
  }

  /// Removes directories that killed processes of our user left, in the intended parent and in the fallback.
  package func removeAbandoned() {
    for parent in Set([parent, Self.last]) { Self.removeAbandoned(in: parent) }
  }

  private func forget(_ made: Made) {
    made.guarded?.release()
    made.file.close()
    current = nil
  }

  /// Returns why a parent can't be used; nil if it can.
  private static func fault(of parent: String) -> String? {
    // /tmp is the last resort, so it is used as it is.
    guard parent != last else { return nil }
    guard parent.utf8.first == UInt8(ascii: "/") else { return "it isn't an absolute path" }
    guard parent.utf8.count <= longestParent else { return "it is longer than \(longestParent) bytes" }
    var status = stat()
    guard stat(parent, &status) == 0 else { return SystemError.reason(of: errno) }
    guard [geteuid(), 0].contains(status.st_uid) else { return "it belongs to another user (uid \(status.st_uid))" }
    let isOpen = status.st_mode & 0o022 != 0 && status.st_mode & 0o1000 == 0
    return isOpen ? "other users may write in it, and it isn't sticky (chmod +t)" : nil
  }

  private func make(in parent: String) throws(SystemError) -> String {
    var error = SystemError(call: "flock", errno: EWOULDBLOCK, subject: parent)
    for _ in 0..<Self.attempts {
      var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
      guard !FaultInjection.refuses(), mkdtemp(&template) != nil else { throw .last("mkdtemp", parent) }
      let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      do throws(SystemError) {
        let file = try Self.open(path, in: AT_FDCWD)
        // On a file system without locks, no process removes abandoned directories.
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
          let identity = FileIdentity(of: file), identity.isSame(as: FileIdentity(at: path))
        else { continue }
        current = Made(
          path: path, identity: identity, file: file, guarded: childGuard()?.slot(forDirectory: path))
        return path
      } catch let failure {
        rmdir(path)
        error = failure
        guard failure.errno == ENOENT else { break }
      }
    }
    throw error
  }

  private static func open(_ name: String, in parent: Int32) throws(SystemError) -> Descriptor {
    let number = FaultInjection.refuses() ? -1 : openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard number >= 0 else { throw .last("open", name) }
    return Descriptor(owning: number)
  }

  private static func removeAbandoned(in parent: String) {
    guard let directory = opendir(parent) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = FileTree.name(of: entry)
      guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + 6 else { continue }
      let path = "\(parent)/\(name)"
      guard let found = FileIdentity(at: path), found.kind == S_IFDIR, found.user == geteuid(),
        [0o700, passableMode].contains(found.mode),
        let file = try? open(name, in: dirfd(directory)), found.isSame(as: FileIdentity(of: file)),
        flock(file.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      FileTree.remove(path)
    }
  }
}
