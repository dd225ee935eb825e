package import InitCore

/// When an initializer is executed: the phase it belongs to.
///
/// The raw values are those of the original library, so that a later phase has a larger one.
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

  /// The phase that executes it.
  var corePhase: Phase {
    switch self {
    case .appLaunch: .launch
    case .appActive: .active
    }
  }

  /// The priority of a phase's initializers.
  init(_ phase: Phase) {
    switch phase {
    case .launch: self = .appLaunch
    case .active: self = .appActive
    }
  }
}
