internal import CPlatform

/// A process at the other end of a socket: the kernel knows whether it has ended, even if its number is used again.
public final class PeerProcess: Sendable {
  /// The process id.
  public let pid: Int32
  /// Becomes readable when the process ends.
  public let descriptor: Descriptor

  /// Finds a running process; nil if no process has this number, or no descriptor is free for it.
  public init?(pid: Int32) {
    let number = platform_process_open(pid)
    guard number >= 0 else { return nil }
    self.pid = pid
    descriptor = Descriptor(owning: number)
  }
}
