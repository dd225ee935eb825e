package import InitWords

/// When an initializer is executed: the phase it belongs to.
///
/// The raw values are those of the original library, so a later phase has a larger value.
public enum InitializerPriority: Int, Hashable, Sendable, CaseIterable {
  /// Executed once, when the app launches (S3).
  case appLaunch = 10
  /// Executed again each time the app becomes active (S4), and at launch if a launch initializer depends on it.
  case appActive = 20
}

extension InitializerPriority {
  /// The machine's value.
  package var corePriority: Priority {
    switch self {
    case .appLaunch: .appLaunch
    case .appActive: .appActive
    }
  }

  /// Creates a priority from the machine's value.
  package init(_ priority: Priority) {
    switch priority {
    case .appLaunch: self = .appLaunch
    case .appActive: self = .appActive
    }
  }
}
