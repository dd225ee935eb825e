internal import CPlatform
internal import Glibc
internal import Synchronization

/// The maximum number of descriptors in this process (`RLIMIT_NOFILE`).
public enum DescriptorLimit {
  /// The soft limit at the start of this process, if it has changed since; otherwise 0.
  private static let inherited = Atomic<UInt>(0)

  /// Raises the soft limit to the hard one.
  ///
  /// Children get the original limit, because programs that use `select` don't work with a higher one.
  ///
  /// A limit that can't be raised stays as it is.
  public static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    let soft = UInt(limit.rlim_cur)
    limit.rlim_cur = limit.rlim_max
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    inherited.store(soft, ordering: .relaxed)
  }

  /// The soft limit that a child gets; 0 for ours.
  package static var ofChildren: UInt { inherited.load(ordering: .relaxed) }

  /// An estimate of how many more descriptors this process may open; it assumes that all below the lowest free number are in use.
  ///
  /// A socket is opened to find that number, because a socket needs no file.
  public static var room: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    let free = platform_unix_socket(0)
    guard free >= 0 else { return 0 }
    close(free)
    return Int(clamping: limit.rlim_cur) - Int(free)
  }
}
