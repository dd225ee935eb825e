public import InitWords

/// A condition that must hold when an initializer's turn comes; otherwise the initializer is skipped (S29).
///
/// All members that aren't `nil` must hold.
public struct Condition: Hashable, Sendable {
  /// An environment variable that is set.
  public struct Variable: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The required value; `nil` for any value.
    public let value: String?

    /// Creates a condition for a variable.
    public init(_ name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// The variable that must be set.
  public var variable: Variable?
  /// The file, of any kind, that must exist.
  public var path: String?
  /// The file, of any kind, that must not exist.
  public var missing: String?

  /// Creates a condition without members, which always holds.
  public init() {}

  /// Returns why the variable's part doesn't hold in an environment; `nil` if it holds.
  ///
  /// The variable's value isn't part of the reason, because it may be secret.
  package func unmet(in environment: (String) -> String?) -> String? {
    guard let variable else { return nil }
    guard let value = environment(variable.name) else { return "\(variable.name) is not set" }
    guard let wanted = variable.value, wanted != value else { return nil }
    return "\(variable.name) is not \"\(wanted)\""
  }
}

/// The machine's question whether an initializer's condition holds (S29), and what the initializer's work depends on (S30).
public struct ConditionCheck: Hashable, Sendable {
  /// The number of the question, for ``Event/conditionChecked(check:unmet:fingerprint:)``.
  public let number: Int
  /// The initializer.
  public let initializer: String
  /// The phase in whose pass the initializer's turn has come.
  public let phase: Phase
  /// Whether somebody has requested the run, so it isn't asked whether the work is already done (S37).
  public let isForced: Bool

  /// Creates a question.
  public init(number: Int, initializer: String, phase: Phase, isForced: Bool = false) {
    self.number = number
    self.initializer = initializer
    self.phase = phase
    self.isForced = isForced
  }
}
