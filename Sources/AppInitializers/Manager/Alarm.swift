internal import InitLocks

/// A source of time, and a way to be called at a given instant.
///
/// The deciding stack uses no clock: it is given an alarm.
package protocol Alarm: Sendable {
  /// The current instant; it never goes back.
  var now: Duration { get }
  /// Whether the alarm calls `ring` on its manager's executor.
  var ringsOnExecutor: Bool { get }
  /// Calls `ring` once, at `deadline` or soon after; replaces the previous deadline.
  ///
  /// Sets the deadline; `nil` only clears it.
  func set(_ deadline: Duration?, ring: @escaping @Sendable () -> Void)
}

extension Alarm {
  package var ringsOnExecutor: Bool { false }
}

/// An alarm of any of Swift's clocks.
package final class ClockAlarm<C: Clock>: Alarm where C.Duration == Duration {
  private let clock: C
  private let origin: C.Instant
  private let sleeper = Locked<Task<Void, Never>?>(nil)

  /// Creates an alarm whose instants are counted from now.
  package init(_ clock: C) {
    self.clock = clock
    self.origin = clock.now
  }

  /// A pending sleep ends at once.
  deinit { sleeper.withLock { $0?.cancel() } }

  /// The time since the alarm was created, by its clock.
  package var now: Duration { origin.duration(to: clock.now) }

  /// Sleeps on the global executor until then.
  package func set(_ deadline: Duration?, ring: @escaping @Sendable () -> Void) {
    let task = deadline.map { deadline in
      Task { [clock, origin] in
        guard (try? await clock.sleep(until: origin.advanced(by: deadline), tolerance: nil)) != nil else { return }
        ring()
      }
    }
    sleeper.withLock { sleeper in
      sleeper?.cancel()
      sleeper = task
    }
  }
}
