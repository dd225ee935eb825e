internal import Glibc

/// Converts instants of the manager's clock to seconds since the Unix epoch.
///
/// Both clocks are read once, so published times stay consistent when the system's clock is set.
package struct WallClock {
  private let epoch: Duration

  /// Reads the system's clock.
  ///
  /// - Parameter now: the current time of the manager's clock.
  package init(now: Duration) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    epoch = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) - now
  }

  /// Converts an instant to seconds since the Unix epoch, to the microsecond.
  package func seconds(at instant: Duration) -> Double {
    let (seconds, attoseconds) = (epoch + instant).components
    return Double(seconds) + Double(attoseconds / 1_000_000_000_000) * 1e-6
  }
}
