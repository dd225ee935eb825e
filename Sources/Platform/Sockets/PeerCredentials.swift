internal import CPlatform

/// The process at the other end of a Unix socket, as the kernel recorded it when the connection was made.
public struct PeerCredentials: Equatable, Sendable {
  /// The process id; nil if the process is in a pid namespace without a number for it here.
  ///
  /// Never use the pid for permissions: numbers are reused.
  public let pid: Int32?
  /// The effective user.
  public let uid: UInt32
  /// The effective group.
  public let gid: UInt32
  /// The supplementary groups; empty if the kernel doesn't report them.
  public let groups: [UInt32]

  /// Creates known credentials; a pid of 0 means unknown.
  public init(pid: Int32?, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
    self.pid = pid == 0 ? nil : pid
    self.uid = uid
    self.gid = gid
    self.groups = groups
  }

  /// Reads the credentials of the peer of a connected Unix socket (protocol §8).
  ///
  /// Throws if the descriptor isn't a connected Unix socket.
  public init(of socket: Descriptor) throws(SystemError) {
    var pid = pid_t()
    var uid = uid_t()
    var gid = gid_t()
    guard !FaultInjection.refuses(), platform_peer_credentials(socket.number, &pid, &uid, &gid) == 0 else {
      throw .last("getsockopt")
    }
    self.init(pid: pid, uid: uid, gid: gid, groups: PeerCredentials.groups(of: socket))
  }

  private static func groups(of socket: Descriptor) -> [UInt32] {
    var count = socklen_t(0)
    _ = platform_peer_groups(socket.number, nil, &count)
    guard count > 0 else { return [] }
    var groups = [gid_t](repeating: 0, count: Int(count) / MemoryLayout<gid_t>.size)
    guard platform_peer_groups(socket.number, &groups, &count) == 0 else { return [] }
    return Array(groups.prefix(Int(count) / MemoryLayout<gid_t>.size))
  }
}
