/// The holds that last only as long as a lease (PROTOCOL.md, `activate`): when the app must be deactivated.
///
/// A value without side effects: time is an argument. Invariant: a hold is due `cancelGrace` and `margin` before its lease ends, so
/// everything has stopped by then. It is due at once if less time is left.
public struct HoldLeases: Hashable, Sendable {
  private var cancelGrace: Duration
  private var deadlines: [HoldID: Instant] = [:]

  /// Creates a value without leases.
  ///
  /// - Parameter cancelGrace: the maximum time that a run may take to stop before it is killed (S13).
  public init(cancelGrace: Duration) { self.cancelGrace = cancelGrace }

  /// Changes how long a run may take to stop, even for existing leases.
  public mutating func set(cancelGrace: Duration) {
    for hold in deadlines.keys { deadlines[hold]? += self.cancelGrace - cancelGrace }
    self.cancelGrace = cancelGrace
  }

  /// The time that a lease must exceed.
  public var least: Duration { cancelGrace + Claims.margin }

  /// When the next hold is due; nil if there is none.
  public var nextDeadline: Instant? { deadlines.values.min() }

  /// Whether a hold has a lease.
  public func contains(_ hold: HoldID) -> Bool { deadlines[hold] != nil }

  /// Adds the lease of a hold, from the moment in which its holder said so.
  public mutating func add(_ hold: HoldID, lease: Duration, sent: Instant) { deadlines[hold] = sent + lease - least }

  /// Extends a lease to that long from the moment in which its holder said so.
  ///
  /// Renews the lease of a hold; this has no effect without a lease or after its end.
  public mutating func renew(_ hold: HoldID, lease: Duration, sent: Instant, at now: Instant) {
    if let deadline = deadlines[hold], now < deadline + least { add(hold, lease: lease, sent: sent) }
  }

  /// Removes the lease of a hold that has ended.
  ///
  /// Returns false if the hold had no lease.
  public mutating func remove(_ hold: HoldID) -> Bool { deadlines.removeValue(forKey: hold) != nil }

  /// Removes and returns the holds that are due.
  public mutating func due(at now: Instant) -> [HoldID] {
    let due = deadlines.filter { $0.value <= now }.keys.sorted()
    for hold in due { deadlines[hold] = nil }
    return due
  }
}
