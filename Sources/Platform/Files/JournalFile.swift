internal import Glibc

// Invariants: after a kill at any moment the file has either its old or its new contents, and at most an incomplete last line, which lacks
// its line break. The contents aren't flushed to the disk: they are worthless after a reboot. A file with hard links is never written to:
// lines go only to files that we created.

/// An append-only file of lines, under a lock, in a directory that no other user may write in.
package final class JournalFile {
  /// The path.
  package let path: String
  /// The file's contents at opening; nil if it doesn't exist or can't be trusted.
  ///
  /// ``replace(with:)`` discards them.
  package private(set) var contents: [UInt8]?
  /// The reason why the existing file can't be trusted: other users may have written it.
  ///
  /// Nil if the file can be trusted.
  package let doubt: String?

  /// The path to which a file was renamed that was in the place of the lock; nil if there was none.
  package var lockAside: String? { lock.aside }

  private let lock: SocketLock
  private var file: Descriptor?
  /// Whether there is no file, because ``remove()`` removed it.
  package private(set) var isRemoved = false
  /// The size of the file in bytes.
  package private(set) var size = 0
  /// A line was written incompletely, so no further line may follow it.
  private var isTorn = false

  /// Locks a file and reads it.
  ///
  /// A missing directory is created with access only for this user.
  ///
  /// - Parameters:
  ///   - name: the name of the file.
  ///   - directory: the directory of the file.
  ///   - limit: the maximum number of bytes to read; a larger file is truncated there.
  /// - Throws: ``JournalError``.
  package init(_ name: String, in directory: String, limit: Int) throws(JournalError) {
    path = "\(directory)/\(name)"
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw .system(.last("mkdir", directory)) }
    var status = stat()
    guard stat(directory, &status) == 0 else { throw .system(.last("stat", directory)) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw .system(SystemError(call: "open", errno: ENOTDIR, subject: directory))
    }
    let owners = [geteuid(), 0]
    guard owners.contains(status.st_uid), status.st_mode & 0o022 == 0 else { throw .exposed(directory) }
    // Another user's link could redirect our writes.
    guard let named = FileIdentity(at: directory), owners.contains(named.user) else { throw .exposed(directory) }
    do throws(ListenerError) {
      lock = try SocketLock(socketPath: path, puttingAside: true)
    } catch {
      if case .alreadyRunning(_, let pid) = error { throw .inUse(directory, pid: pid) }
      if case .system(_, let error) = error { throw .system(error) }
      throw .occupied(path + ".lock")
    }
    let file: Descriptor
    do throws(RegularFileError) {
      file = try RegularFile.open(path)
    } catch {
      switch error {
      case .irregular: throw .occupied(path)
      case .system(let error) where error.errno == ENOENT:
        doubt = nil
        return
      case .system(let error): throw .system(error)
      }
    }
    doubt = JournalFile.doubt(about: file)
    guard doubt == nil else { return }
    do { contents = try file.contents(upTo: limit, path) } catch { throw .system(error) }
  }

  private static func doubt(about file: Descriptor) -> String? {
    guard let found = FileIdentity(of: file) else { return "it can't be inspected" }
    if found.user != geteuid() { return "it belongs to another user (uid \(found.user))" }
    return found.isOursAlone ? nil : "other users may write in it (mode \(String(found.mode, radix: 8)))"
  }

  /// Renames the file with the suffix `.damaged`, for inspection.
  ///
  /// - Returns: that name.
  /// - Throws: the reason why the file can't be renamed.
  package func putAside() throws(SystemError) -> String {
    let aside = path + ".damaged"
    guard !FaultInjection.refuses(), rename(path, aside) == 0 else { throw .last("rename", path) }
    return aside
  }

  /// Replaces all lines of the file atomically.
  ///
  /// `isDurable` says whether the new contents must survive a power cut: then it returns only once they are on the disk. Throws the reason
  /// why that failed, in which case the file is unchanged.
  package func replace(with lines: [UInt8], isDurable: Bool = false) throws(SystemError) {
    contents = nil
    let fresh = path + ".new"
    // The existing file may be a pipe or have hard links: it is replaced, never written to.
    unlink(fresh)
    let number =
      FaultInjection.refuses()
      ? -1 : open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("open", fresh) }
    let file = Descriptor(owning: number)
    do throws(SystemError) {
      try JournalFile.write(lines, to: file, fresh)
      guard !isDurable || !FaultInjection.refuses() && fsync(file.number) == 0 else { throw .last("fsync", fresh) }
      guard !FaultInjection.refuses(), rename(fresh, path) == 0 else { throw .last("rename", fresh) }
    } catch {
      unlink(fresh)
      throw error
    }
    if isDurable { try syncDirectory() }
    self.file = file
    isRemoved = false
    size = lines.count
    isTorn = false
  }

  /// Writes the names of the files to the disk.
  private func syncDirectory() throws(SystemError) {
    let directory = FilePath.directory(of: path)
    let number = FaultInjection.refuses() ? -1 : open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw .last("open", directory) }
    let opened = Descriptor(owning: number)
    guard !FaultInjection.refuses(), fsync(opened.number) == 0 else { throw .last("fsync", directory) }
  }

  /// Removes the file, if its contents are obsolete and can't be replaced.
  package func remove() {
    unlink(path)
    try? syncDirectory()
    file = nil
    isRemoved = true
  }

  /// Adds a line.
  ///
  /// - Throws: an error that says why it failed; then the whole file must be written again with ``replace(with:)``.
  package func append(_ line: [UInt8]) throws(SystemError) {
    guard let file, !isTorn else { throw SystemError(call: "write", errno: EIO, subject: path) }
    isTorn = true
    try JournalFile.write(line, to: file, path)
    size += line.count
    isTorn = false
  }

  private static func write(_ bytes: [UInt8], to file: Descriptor, _ path: String) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count =
        FaultInjection.refuses()
        ? -1 : bytes[written...].withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last("write", path) }
      written += count
    }
  }
}

/// Why a journal can't be kept in a directory.
public enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another process keeps its own journal there.
  case inUse(String, pid: Int32?)
  /// Other users may write in the directory.
  case exposed(String)
  /// The file isn't a regular file of this user.
  case occupied(String)
  /// The boot can't be identified.
  case unknownBoot
  /// The system refused.
  case system(SystemError)

  /// A text that says what happened, why, and what to do.
  public var description: String { words(naming: "--state-directory") }

  /// Returns the message for callers that set the directory in another way.
  ///
  /// - Parameter option: the option or variable with which the caller sets the directory.
  /// - Returns: one sentence with the remedy.
  public func words(naming option: String) -> String {
    switch self {
    case .inUse(let directory, let pid):
      "cannot use the state directory \(directory): a supervisor\(pid.map { " (pid \($0))" } ?? "") uses it; "
        + "stop it or choose another \(option)"
    case .exposed(let directory):
      "cannot use the state directory \(directory): other users may write in it; "
        + "change its owner (chown) or its mode (chmod go-w)"
    case .occupied(let path):
      "cannot use the state file \(path): it has hard links or isn't a regular file of this user; remove it or choose another \(option)"
    case .unknownBoot:
      "cannot use a state directory: without /proc a reboot can't be detected; mount it, or remove \(option)"
    case .system(let error):
      "cannot use the state directory: \(error); "
        + ([ENOSPC, EDQUOT].contains(error.errno) ? "free some space, or choose another" : "choose another")
        + " \(option)"
    }
  }
}
