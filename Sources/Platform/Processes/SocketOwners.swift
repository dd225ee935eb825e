internal import Glibc

/// Determines which processes a listening socket belongs to, as far as /proc shows.
package enum SocketOwners {
  /// The answer.
  package enum Verdict: Equatable, Sendable {
    /// The socket belongs to the process or one of its descendants, or /proc doesn't show its owner.
    case accepted
    /// The socket belongs to other processes: to this one, if it is known.
    case stranger(LeftProcess?)
  }

  /// The maximum size of a table that is read, in bytes: a larger one isn't used.
  private static let maximumBytes = 16 << 20

  /// Returns whether a listening socket belongs to a process or its descendants.
  package static func verdict(of socket: ListeningSocket, belongsTo process: Int32) -> Verdict {
    let inodes = inodes(of: socket)
    guard !inodes.isEmpty else { return .accepted }
    let family = ProcessTable.family(of: process)
    for member in family {
      // A process whose descriptors can't be read may have it.
      guard let isOwner = holds(member, inodes), !isOwner else { return .accepted }
    }
    let others = ProcessTable.pids().filter { !family.contains($0) }
    return .stranger(others.first { holds($0, inodes) == true }.flatMap(ProcessTable.named))
  }

  private static func inodes(of socket: ListeningSocket) -> Set<UInt64> {
    let tables: [String]
    switch socket {
    case .tcp: tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    case .unix: tables = ["/proc/net/unix"]
    }
    var found: Set<UInt64> = []
    for path in tables {
      let number = open(path, O_RDONLY | O_CLOEXEC)
      guard number >= 0 else { continue }
      guard let bytes = try? Descriptor(owning: number).contents(upTo: maximumBytes, path), bytes.count < maximumBytes
      else { return [] }
      found.formUnion(socket.inodes(in: String(decoding: bytes, as: UTF8.self)))
    }
    return found
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
