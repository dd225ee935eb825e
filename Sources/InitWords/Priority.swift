/// The phase that an initializer belongs to.
public enum Priority: String, Hashable, Sendable, CaseIterable {
  /// Executed once, by the launch pass (S3).
  ///
  /// The default.
  case appLaunch
  /// Executed again by every active pass (S4), and by the launch pass if a launch initializer depends on it.
  case appActive
}

/// One of the two phases that passes execute.
public enum Phase: String, Hashable, Sendable, Comparable, CaseIterable {
  /// Work to be done once, before anything else.
  case launch
  /// Work to be done each time the app becomes active.
  case active

  /// Orders phases: launch precedes active.
  public static func < (left: Phase, right: Phase) -> Bool { (left, right) == (.launch, .active) }

  /// The priority of the initializers that this phase executes, besides their dependencies.
  public var priority: Priority {
    switch self {
    case .launch: .appLaunch
    case .active: .appActive
    }
  }
}

extension Priority: CustomStringConvertible {
  /// The word. Without this property, printing a value uses reflection, which takes nearly two million instructions the first time.
  public var description: String { rawValue }
}

extension Phase: CustomStringConvertible {
  /// The word.
  public var description: String { rawValue }
}
