internal import Glibc

/// The wall clock, for people only: nothing is decided by it.
enum WallTime {
  /// Seconds since the Unix epoch.
  static var now: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
