/// What a phase has come to (S1).
public enum PhaseState: Hashable, Sendable {
  /// Its initializers are being executed, or haven't been.
  case pending
  /// All of them have completed.
  case complete
  /// One of them failed, or they can't be executed.
  case failed(Failure)

  /// The state of the whole: failed if either is (launch's error first), complete if both are, else pending.
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
  /// A phase's state and the number of the pass it speaks of, once there was one.
  public struct Phase: Hashable, Sendable {
    /// What the phase has come to.
    public var state: PhaseState
    /// The newest pass that was asked for.
    public var pass: Int?
  }

  /// The launch phase.
  public var launch: Phase
  /// The active phase.
  public var active: Phase
  /// Where the app is.
  public var lifecycle: Lifecycle

  /// Derived from the two phases, never stored.
  public var composite: PhaseState { .composite(launch: launch.state, active: active.state) }

  /// Whether the app is ready: the composite is complete while the app is active.
  public var isReady: Bool { composite == .complete && lifecycle == .active }

  /// What a change of state can have changed.
  public enum Aspect: Hashable, Sendable, CaseIterable {
    /// The launch state.
    case launch
    /// The active state.
    case active
    /// What is derived of the two.
    case composite
    /// Where the app is.
    case lifecycle
  }

  /// What differs from an earlier record; a new pass number alone is no difference (S1).
  public func changes(since earlier: StateRecord) -> Set<Aspect> {
    var changed: Set<Aspect> = []
    if launch.state != earlier.launch.state { changed.insert(.launch) }
    if active.state != earlier.active.state { changed.insert(.active) }
    if composite != earlier.composite { changed.insert(.composite) }
    if lifecycle != earlier.lifecycle { changed.insert(.lifecycle) }
    return changed
  }
}
