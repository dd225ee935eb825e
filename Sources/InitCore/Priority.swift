/// The phase an initializer belongs to: when it is executed.
///
/// The raw values are those of the original library, so that a later phase has a larger one.
public enum Priority: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// Executed once, by the launch pass (S3).
  case appLaunch = 10
  /// Executed again by every active pass (S4), and by the launch pass if a launch initializer depends on it.
  case appActive = 20

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// One of the two phases that passes execute.
public enum Phase: Hashable, Sendable, CaseIterable {
  /// The work to do once, before everything else.
  case launch
  /// The work to do each time the app becomes active.
  case active

  /// The priority of this phase's own initializers.
  public var priority: Priority {
    switch self {
    case .launch: .appLaunch
    case .active: .appActive
    }
  }
}
