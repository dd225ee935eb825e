internal import CPlatform
internal import Glibc

// Invariants: a socket is bound under a temporary name and renamed once it listens, so clients that find it can connect. All of this
// happens under the lock of the socket's path (SocketLock.swift), in a directory that is kept open. Other users may write in it; their
// files are never followed, changed or replaced. The temporary name is fixed for the path, so leftovers of a killed supervisor are found.

/// A name for a socket in a directory.
package struct SocketPlace {
  /// The path, for messages; it may be longer than a socket's.
  package let path: String
  private let name: String
  private let directory: Descriptor
  private let address: SocketAddress

  /// Opens the place at a path that fits a socket's address.
  ///
  /// Throws ``ListenerError`` if the directory can't be opened.
  package init(path: String) throws(ListenerError) {
    guard let address = SocketAddress(path: path) else {
      throw .pathUnusable(path: path, maximum: SocketAddress.maximumPathBytes)
    }
    let parts = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { (path[...$0], path[path.utf8.index(after: $0)...]) }
    let parent = String(parts?.0 ?? ".")
    let number = FaultInjection.refuses() ? -1 : platform_open_path(AT_FDCWD, parent, O_DIRECTORY)
    guard number >= 0 else { throw .system(path: path, .last("open", parent)) }
    let name = String(parts?.1 ?? Substring(path))
    self.init(path: path, name: name.isEmpty ? "." : name, directory: Descriptor(owning: number), address: address)
  }

  private init(path: String, name: String, directory: Descriptor, address: SocketAddress) {
    self.path = path
    self.name = name
    self.directory = directory
    self.address = address
  }

  /// Returns the temporary place in the same directory.
  ///
  /// No other lock has the same place.
  package func temporary(_ lock: SocketLock) -> SocketPlace? {
    let fits = name.utf8.count + 4 <= SocketAddress.maximumPathBytes
    let name = fits ? name + ".new" : "initd-\(FileIdentity(of: lock.file)?.number ?? 0).new"
    let path = String(path.dropLast(self.name.count)) + name
    // If the path is too long, a path relative to the directory is used.
    guard let address = SocketAddress(path: path) ?? SocketAddress(path: name) else { return nil }
    return SocketPlace(path: path, name: name, directory: directory, address: address)
  }

  /// The file at this place; nil with errno.
  package var identity: FileIdentity? { FileIdentity(at: name, in: directory) }

  /// Removes the file at this place, if it is still the given file.
  package func remove(_ file: FileIdentity?) {
    if let file, file.isSame(as: identity) { unlinkat(directory.number, name, 0) }
  }

  /// Binds a socket that has its mode before it has a path, and its group before other processes can connect.
  package func bind(mode: UInt32, group: UInt32?) throws(SystemError) -> (Descriptor, FileIdentity) {
    let socket = try Descriptor.unixSocket()
    guard !FaultInjection.refuses(), fchmod(socket.number, mode) == 0 else { throw .last("fchmod", path) }
    guard !FaultInjection.refuses(), reach(socket, connects: false) == 0 else { throw .last("bind", path) }
    let made = identity
    do throws(SystemError) {
      let number = FaultInjection.refuses() ? -1 : platform_open_path(directory.number, name, O_NOFOLLOW)
      guard number >= 0 else { throw .last("open", path) }
      let file = Descriptor(owning: number)
      guard let found = FileIdentity(of: file), found.kind == S_IFSOCK, found.links == 1 else {
        throw SystemError(call: "bind", errno: EEXIST, subject: path)
      }
      // Sets the mode again for directories that determine their files' permissions (ACLs).
      if found.mode != mode, chmod("/proc/self/fd/\(number)", mode) != 0 { throw .last("chmod", path) }
      if let group, platform_change_group(number, group) != 0 { throw .last("chown", path) }
      return (socket, found)
    } catch {
      remove(made)
      throw error
    }
  }

  /// Renames the socket to another place, unless a file is there: EEXIST.
  package func rename(to other: SocketPlace) throws(SystemError) {
    if !FaultInjection.refuses(), platform_rename_to_free_name(directory.number, name, other.name) == 0 { return }
    guard errno == EINVAL || errno == ENOSYS else { throw .last("rename", path) }
    // The file system doesn't support this; a hard link never replaces a file either.
    guard linkat(directory.number, name, directory.number, other.name, 0) == 0 else { throw .last("link", path) }
    unlinkat(directory.number, name, 0)
  }

  /// Removes only the leftovers of a dead supervisor.
  ///
  /// The caller must hold the lock.
  package func removeStaleSocket() throws(ListenerError) {
    let end = ContinuousClock.now + SocketLock.patience
    while true {
      do throws(ListenerError) {
        return try removeRefusingSocket()
      } catch .occupied(_, by: .liveSocket(let pid)) where SocketLock.isGone(pid) && ContinuousClock.now < end {
        // A child that a killed supervisor was just starting may still hold the socket, but will soon end too.
        usleep(1000)
      }
    }
  }

  private func removeRefusingSocket() throws(ListenerError) {
    guard let found = identity else {
      guard errno == ENOENT else { throw .system(path: path, .last("lstat", path)) }
      return
    }
    guard found.kind == S_IFSOCK else { throw .occupied(path: path, by: found.occupant) }
    let probe: Descriptor
    do { probe = try Descriptor.unixSocket() } catch { throw .system(path: path, error) }
    if reach(probe, connects: true) == 0 {
      throw .occupied(path: path, by: .liveSocket(pid: (try? PeerCredentials(of: probe))?.pid))
    }
    switch errno {
    case ECONNREFUSED where found.user == geteuid():
      guard found.isSame(as: identity) else { throw .occupied(path: path, by: .liveSocket(pid: nil)) }
      guard unlinkat(directory.number, name, 0) == 0 else { throw .system(path: path, .last("unlink", path)) }
    case ECONNREFUSED, EACCES, EPERM: throw .occupied(path: path, by: .socketOfAnotherUser(uid: found.user))
    case ENOENT: return
    // EAGAIN: its backlog is full, so it is in use; EPROTOTYPE: it is a datagram socket in use.
    default: throw .occupied(path: path, by: .liveSocket(pid: nil))
    }
  }

  /// Calls `bind(2)` or `connect(2)`.
  ///
  /// Returns 0, or -1 with errno. A non-blocking Unix socket's connect never waits: EAGAIN says the backlog is full.
  private func reach(_ socket: Descriptor, connects: Bool) -> Int32 {
    address.withPointer { platform_reach(directory.number, socket.number, $0, Int($1), connects ? 1 : 0) }
  }
}
