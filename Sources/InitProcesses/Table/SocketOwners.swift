internal import Glibc
internal import Platform

/// Determines which process has answered a connection, as far as /proc shows.
package enum SocketOwners {
  /// The result.
  package enum Verdict: Equatable, Sendable {
    /// The socket belongs to the process or one of its descendants, or /proc doesn't show its owner.
    case accepted
    /// The socket belongs to other processes: to this one, if it is known.
    case stranger(LeftProcess?)
  }

  /// The maximum size of a table that is read, in bytes: a larger one isn't used.
  private static let maximumBytes = 16 << 20

  /// Returns whether a socket that has answered belongs to a process or its descendants.
  package static func verdict(of socket: AnsweringSocket, belongsTo process: Int32) -> Verdict {
    let candidates = inodes(of: socket)
    guard !candidates.isEmpty, ProcessTable.isOurs else { return .accepted }
    let family = ProcessTable.family(of: process)
    // The kernel has recorded who listens at a Unix socket; several sockets may have been bound to the same path.
    if case .unix(_, let listener?) = socket {
      if family.contains(listener) { return .accepted }
      let listening = Set(candidates.joined().filter { holds(listener, [$0]) == true })
      if !listening.isEmpty {
        // The process may have inherited the very socket at which the other one had called listen.
        return family.contains { holds($0, listening) != false } ? .accepted : .stranger(ProcessTable.named(listener))
      }
    }
    let others = ProcessTable.pids().filter { !family.contains($0) }
    for inodes in candidates {
      for member in family {
        // A process whose descriptors can't be read may have it.
        guard let isOwner = holds(member, inodes), !isOwner else { return .accepted }
      }
      // If nobody has the socket any more, the next candidate decides: a server may close a connection at once.
      if let other = others.first(where: { holds($0, inodes) == true }) { return .stranger(ProcessTable.named(other)) }
    }
    return .stranger(nil)
  }

  /// Returns who listens at a TCP port of this machine: this process and its descendants are accepted.
  package static func listener(onPort port: Int) -> Verdict {
    let text = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap(contents).joined()
    let inodes = AnsweringSocket.inodes(listeningOn: UInt16(port), in: text)
    guard !inodes.isEmpty else { return .stranger(nil) }
    let family = ProcessTable.family(of: getpid())
    if family.contains(where: { holds($0, inodes) != false }) { return .accepted }
    let other = ProcessTable.pids().first { !family.contains($0) && holds($0, inodes) == true }
    return .stranger(other.flatMap(ProcessTable.named))
  }

  private static func contents(of table: String) -> String? {
    let number = open(table, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    guard let bytes = try? Descriptor(owning: number).contents(upTo: maximumBytes, table), bytes.count < maximumBytes
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the inodes of the sockets that may have answered, the most certain ones first.
  private static func inodes(of socket: AnsweringSocket) -> [Set<UInt64>] {
    let tables: [String]
    switch socket {
    case .tcp: tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    case .unix: tables = ["/proc/net/unix"]
    }
    var text = ""
    for path in tables {
      let number = open(path, O_RDONLY | O_CLOEXEC)
      guard number >= 0 else { continue }
      guard let bytes = try? Descriptor(owning: number).contents(upTo: maximumBytes, path), bytes.count < maximumBytes
      else { return [] }
      text += String(decoding: bytes, as: UTF8.self)
    }
    return socket.inodes(in: text).filter { !$0.isEmpty }
  }

  /// Returns whether a process has one of the sockets open; nil if its descriptors can't be read.
  private static func holds(_ pid: Int32, _ inodes: Set<UInt64>) -> Bool? {
    guard let directory = opendir("/proc/\(pid)/fd") else { return errno == ENOENT ? false : nil }
    defer { closedir(directory) }
    var target = [UInt8](repeating: 0, count: 64)
    while let entry = readdir(directory) {
      let count = readlink("/proc/\(pid)/fd/\(FileTree.name(of: entry))", &target, target.count)
      guard count > 9, target.starts(with: "socket:[".utf8) else { continue }
      let digits = String(decoding: target[8..<(count - 1)], as: UTF8.self)
      if let inode = UInt64(digits), inodes.contains(inode) { return true }
    }
    return false
  }
}
