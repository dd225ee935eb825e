internal import Glibc

/// The clock that counts from the boot, even while the system sleeps: it means the same in all processes until the next boot.
package enum BootClock {
  /// The time since the boot.
  package static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
