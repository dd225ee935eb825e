internal import Glibc

/// The system's clock: what people set.
package enum SystemClock {
  /// The time in milliseconds since the Unix epoch.
  package static var milliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
