import InitLocks

@testable import AppInitializers

/// An alarm whose time the test advances.
final class ManualAlarm: Alarm {
  private struct Content: Sendable {
    var now = Duration.zero
    var deadline: Duration?
    var ring: (@Sendable () -> Void)?
  }

  private let content = Locked(Content())

  var now: Duration { content.withLock { $0.now } }

  /// The time to which the alarm is set.
  var deadline: Duration? { content.withLock { $0.deadline } }

  func set(_ deadline: Duration?, ring: @escaping @Sendable () -> Void) {
    content.withLock { content in
      content.deadline = deadline
      content.ring = deadline == nil ? nil : ring
    }
  }

  /// Advances the time by this duration, and rings if the deadline has passed.
  func advance(by span: Duration) {
    let ring: (@Sendable () -> Void)? = content.withLock { content in
      content.now += span
      guard let deadline = content.deadline, deadline <= content.now else { return nil }
      content.deadline = nil
      return content.ring
    }
    ring?()
  }
}
