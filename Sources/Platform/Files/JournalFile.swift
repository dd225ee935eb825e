internal import Glibc

// The law: a kill at any moment leaves either what was there before or what was to be there, and at most a torn last line, which its reader
// can tell by the line break that it lacks. Nothing is synchronized to the disk: what is kept here is worth nothing after the
// system itself has gone down. A file with other names (hard links) keeps what it has under those: lines go to files that we made alone.

/// A file of lines that only grows, held for life under a lock, in a directory that nobody else may write in.
package final class JournalFile {
  /// Its path.
  package let path: String
  /// What it holds when it is opened; nil if there is none, or if it can't be believed. Its reader drops it by ``replace(with:)``.
  package private(set) var contents: [UInt8]?
  /// Why the file that was found can't be believed: others may have written in it. Nil if it can.
  package let doubt: String?

  private let lock: SocketLock
  private var file: Descriptor?
  /// How many bytes the file has, since it was written as a whole.
  package private(set) var size = 0
  /// A line couldn't be written: the next one would follow half of it.
  private var isTorn = false

  /// Takes the lock on a file and reads it. The directory is made, for ourselves alone, where there is none.
  ///
  /// - Parameters:
  ///   - name: the file's.
  ///   - directory: where it is.
  ///   - limit: how many bytes are read; what is larger is read as no more than that, and so as torn.
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
    // A link of somebody else's would choose where we write.
    guard let named = FileIdentity(at: directory), owners.contains(named.user) else { throw .exposed(directory) }
    do throws(ListenerError) {
      lock = try SocketLock(socketPath: path)
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
    guard let found = FileIdentity(of: file) else { return "it can't be looked at" }
    if found.user != geteuid() { return "it belongs to another user (uid \(found.user))" }
    return found.isOursAlone ? nil : "other users may write in it (mode \(String(found.mode, radix: 8)))"
  }

  /// Gives what the file holds another name, that with `.damaged` behind it, for somebody to look at.
  ///
  /// - Returns: that name.
  /// - Throws: why it can't be renamed.
  package func putAside() throws(SystemError) -> String {
    let aside = path + ".damaged"
    guard !Seam.refuses(), rename(path, aside) == 0 else { throw .last("rename", path) }
    return aside
  }

  /// Makes these the file's lines, all at once.
  ///
  /// - Throws: why not; the file is as it was then.
  package func replace(with lines: [UInt8]) throws(SystemError) {
    contents = nil
    let fresh = path + ".new"
    // Whatever has the name, a pipe or another name of something else: it is ours to replace, and not to write to.
    unlink(fresh)
    let number =
      Seam.refuses() ? -1 : open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("open", fresh) }
    let file = Descriptor(owning: number)
    do throws(SystemError) {
      try JournalFile.write(lines, to: file, fresh)
      guard !Seam.refuses(), rename(fresh, path) == 0 else { throw .last("rename", fresh) }
    } catch {
      unlink(fresh)
      throw error
    }
    self.file = file
    size = lines.count
    isTorn = false
  }

  /// Removes the file, where it says what isn't so any more and can't be made to say anything else.
  package func remove() {
    unlink(path)
    file = nil
  }

  /// Adds a line.
  ///
  /// - Throws: why not; what is to be in the file has to be written anew then, by ``replace(with:)``.
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
        Seam.refuses() ? -1 : bytes[written...].withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last("write", path) }
      written += count
    }
  }
}

/// Why a journal can't be kept in a directory.
public enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another process keeps its own there.
  case inUse(String, pid: Int32?)
  /// Other users may write in the directory.
  case exposed(String)
  /// Something else has the name.
  case occupied(String)
  /// Nothing tells which start of the system this is.
  case unknownBoot
  /// The system refused.
  case system(SystemError)

  /// What, which one, why, and what to do.
  public var description: String { words(naming: "--state-directory") }

  /// The same for those who don't set the directory with that option.
  ///
  /// - Parameter option: what they set it with.
  public func words(naming option: String) -> String {
    switch self {
    case .inUse(let directory, let pid):
      "cannot use the state directory \(directory): a supervisor\(pid.map { " (pid \($0))" } ?? "") uses it; "
        + "stop it or choose another \(option)"
    case .exposed(let directory):
      "cannot use the state directory \(directory): other users may write in it; "
        + "make it your own (chown) and nobody else's to write in (chmod go-w)"
    case .occupied(let path):
      "cannot use the state file \(path): it is no regular file of ours; remove it or choose another \(option)"
    case .unknownBoot:
      "cannot use a state directory: without /proc nothing tells whether the system was started since; mount it, or leave out \(option)"
    case .system(let error):
      "cannot use the state directory: \(error); choose another \(option)"
    }
  }
}
