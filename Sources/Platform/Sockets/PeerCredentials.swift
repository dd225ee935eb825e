internal import CPlatform

/// Who is at the other end of a Unix socket, as the kernel saw it when the two were connected.
public struct PeerCredentials: Equatable, Sendable {
  /// The process, or nil when it lives in a pid namespace that has no number for it here. Never a ground to allow
  /// anything: numbers are used again.
  public let pid: Int32?
  /// The effective user.
  public let uid: UInt32
  /// The effective group.
  public let gid: UInt32
  /// The supplementary groups; none where the kernel doesn't tell.
  public let groups: [UInt32]

  /// Given credentials; a pid of 0 means unknown.
  public init(pid: Int32?, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
    self.pid = pid == 0 ? nil : pid
    self.uid = uid
    self.gid = gid
    self.groups = groups
  }

  /// The peer of a connected Unix socket (protocol section 8). Throws when it is none.
  public init(of socket: Descriptor) throws(SystemError) {
    var (pid, uid, gid) = (pid_t(), uid_t(), gid_t())
    guard !Seam.refuses(), platform_peer_credentials(socket.number, &pid, &uid, &gid) == 0 else {
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
