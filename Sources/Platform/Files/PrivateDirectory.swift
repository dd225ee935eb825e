internal import Glibc

// The law:
//
// 1. Nobody else may write in it, nor put something else in its place: its parent is root's or ours, and either nobody else may write in that or it
//    is sticky. A directory that has lost its name is never used under that name again.
// 2. Its lock is held as long as its owner lives, and the kernel lets go of it then. So a directory of our user whose lock is free is
//    what a killed process left: the next one removes it. The guard (ChildGuard.swift) doesn't wait for the next one.

/// A directory of ours alone, for sockets and files that children leave: made when it is first needed, and removed at the end.
package final class PrivateDirectory {
  /// The longest parent under which a socket's name still fits its address.
  package static let longestParent = 70

  /// Where it is made if it can't be where it was to be.
  private static let last = "/tmp"
  /// What its name begins with; six more characters follow.
  private static let prefix = "initd-run-"
  /// How often another name is tried, where somebody took a new directory for an abandoned one.
  private static let attempts = 8

  /// A directory that was made.
  private struct Made {
    let path: String
    let identity: FileIdentity
    /// Holds its lock.
    let file: Descriptor
    let guarded: ChildGuard.Place?
  }

  private let parent: String
  private let childGuard: () -> ChildGuard?
  private var current: Made?
  private var hasFallenBack = false
  /// Told once, why it isn't where it was to be.
  package var onFallback: ((String) -> Void)?

  /// - Parameters:
  ///   - parent: where it is made, as an absolute path; `/tmp` takes the place of one that can't be used.
  ///   - childGuard: who removes it if we are killed, asked each time when it is made; nil for nobody.
  package init(in parent: String, guardedBy childGuard: @escaping () -> ChildGuard? = { nil }) {
    self.parent = parent
    self.childGuard = childGuard
  }

  deinit { remove() }

  /// Where it was made last.
  package var made: String? { current?.path }

  /// Where it is. It is made anew where something that tidies up has removed it.
  ///
  /// - Throws: why it can't be made.
  package func path() throws(SystemError) -> String {
    if let current {
      if current.identity.isSame(as: FileIdentity(at: current.path)) { return current.path }
      forget(current)
    }
    var why = Self.fault(of: parent)
    if why == nil {
      do throws(SystemError) {
        return try make(in: parent)
      } catch {
        // It may be full, or be taken away.
        guard parent != Self.last else { throw error }
        why = "\(error)"
      }
    }
    let path = try make(in: Self.last)
    if !hasFallenBack, let why { onFallback?("cannot use \(parent): \(why); \(Self.last) is used instead") }
    hasFallenBack = true
    return path
  }

  /// Removes it, and whatever was left in it.
  package func remove() {
    guard let current else { return }
    if current.identity.isSame(as: FileIdentity(at: current.path)) { FileTree.remove(current.path) }
    forget(current)
  }

  /// Removes what killed processes of our user left, where it is to be and where it is made otherwise.
  package func removeAbandoned() {
    for parent in Set([parent, Self.last]) { Self.removeAbandoned(in: parent) }
  }

  private func forget(_ made: Made) {
    made.guarded?.release()
    made.file.close()
    current = nil
  }

  /// Why it can't be made in there; nil if nothing speaks against it.
  private static func fault(of parent: String) -> String? {
    // In /tmp we have to live with what there is.
    guard parent != last else { return nil }
    guard parent.utf8.first == UInt8(ascii: "/") else { return "it is no absolute path" }
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
      guard !Seam.refuses(), mkdtemp(&template) != nil else { throw .last("mkdtemp", parent) }
      let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      do throws(SystemError) {
        let file = try Self.open(path, in: AT_FDCWD)
        // A file system without locks has nobody who removes.
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
          let identity = FileIdentity(of: file), identity.isSame(as: FileIdentity(at: path))
        else { continue }
        current = Made(
          path: path, identity: identity, file: file, guarded: childGuard()?.place(forDirectory: path))
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
    let number = Seam.refuses() ? -1 : openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
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
      guard let found = FileIdentity(at: path), found.kind == S_IFDIR, found.user == geteuid(), found.mode == 0o700,
        let file = try? open(name, in: dirfd(directory)), found.isSame(as: FileIdentity(of: file)),
        flock(file.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      FileTree.remove(path)
    }
  }
}
