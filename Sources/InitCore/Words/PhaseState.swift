public import InitWords

/// The state of a phase (S1).
public enum PhaseState: Hashable, Sendable {
  /// The initializers are running, or haven't run, or were cancelled.
  case pending
  /// All initializers of the phase have completed, except optional ones that failed.
  case complete
  /// An initializer failed, or the initializers can't be run.
  case failed(Failure)

  /// Returns the composite state: failed if either is (launch's error first), complete if both are, else pending.
  public static func composite(launch: PhaseState, active: PhaseState) -> PhaseState {
    switch (launch, active) {
    case (.failed, _): launch
    case (_, .failed): active
    case (.complete, .complete): .complete
    case (.pending, .pending), (.pending, .complete), (.complete, .pending): .pending
    }
  }
}

/// The states of one moment, published together (S1).
public struct StateRecord: Hashable, Sendable {
  /// The state of a phase, and the number of its newest pass, once there is one.
  public struct PhaseSnapshot: Hashable, Sendable {
    /// The phase's state.
    public var state: PhaseState
    /// The newest requested pass.
    public var pass: PassID?
  }

  /// The launch phase.
  public var launch: PhaseSnapshot
  /// The active phase.
  public var active: PhaseSnapshot
  /// The lifecycle.
  public var lifecycle: Lifecycle

  /// Derived from the two phases, never stored.
  public var composite: PhaseState { .composite(launch: launch.state, active: active.state) }

  /// Whether an initializer belongs to the active phase.
  public var hasActivePhase = true

  /// Whether the app is ready: the composite is complete while the app is active, or, if no initializer belongs to the active phase, launch
  /// is complete while the app is inactive.
  public var isReady: Bool {
    switch lifecycle {
    case .active: composite == .complete
    case .inactive: !hasActivePhase && launch.state == .complete
    }
  }

  /// The parts of the states that can change.
  public enum Aspect: Hashable, Sendable, CaseIterable {
    /// The launch state.
    case launch
    /// The active state.
    case active
    /// The composite state.
    case composite
    /// The lifecycle.
    case lifecycle
  }

  /// Returns the parts that differ from an earlier record, in the order of their cases; a new pass number alone isn't a difference (S1).
  public func changes(since earlier: StateRecord) -> [Aspect] {
    var changed: [Aspect] = []
    if launch.state != earlier.launch.state { changed.append(.launch) }
    if active.state != earlier.active.state { changed.append(.active) }
    if composite != earlier.composite { changed.append(.composite) }
    if lifecycle != earlier.lifecycle { changed.append(.lifecycle) }
    return changed
  }
}
