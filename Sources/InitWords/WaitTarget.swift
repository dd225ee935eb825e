internal import InitText

/// The target of a wait (protocol §4, `wait`).
public enum WaitTarget: Hashable, Sendable {
  /// The states that can be awaited.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The composite is complete while the lifecycle is active; without an active phase, launch is complete.
    case ready
    /// The launch state.
    case launch
    /// The active state.
    case active
    /// The composite of both (S1).
    case composite
  }

  /// One of the states.
  case state(State)
  /// The last outcome of an initializer.
  case initializer(String)
  /// The end of a pass.
  case pass(Int)

  /// The composite is complete while the lifecycle is active; without an active phase, launch is complete.
  public static let ready = WaitTarget.state(.ready)
  /// The launch state.
  public static let launch = WaitTarget.state(.launch)
  /// The active state.
  public static let active = WaitTarget.state(.active)
  /// The composite of both.
  public static let composite = WaitTarget.state(.composite)
}

extension WaitTarget: CustomStringConvertible {
  /// The target, for messages.
  public var description: String {
    switch self {
    case .state(let state): state.rawValue
    case .initializer(let name): TerminalText.escape(name)
    case .pass(let number): "pass \(number)"
    }
  }
}
