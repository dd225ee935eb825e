/// The priority of an initializer.
public enum PriorityName: String, Codable, Sendable, Equatable, CaseIterable {
  /// It belongs to the launch phase; the default.
  case appLaunch
  /// It belongs to the active phase.
  case appActive
}

/// A phase (semantics, "Words").
public enum PhaseName: String, Codable, Sendable, Equatable, CaseIterable {
  /// Runs once, when the manager starts.
  case launch
  /// Runs whenever the app becomes active.
  case active
}

/// The app's lifecycle, independent of the outcomes of its initializers.
public enum LifecycleName: String, Codable, Sendable, Equatable, CaseIterable {
  /// The app isn't active.
  case inactive
  /// The app is active.
  case active
}

/// The provider of an initializer.
public enum ProviderName: String, Codable, Sendable, Equatable, CaseIterable {
  /// A Swift object in the supervisor.
  case inProcess
  /// A program that the supervisor spawns.
  case command
  /// Another process, over the socket.
  case worker
}

/// The status of an initializer; one that is both stopping and waiting is `stopping`.
public enum InitializerStatusName: String, Codable, Sendable, Equatable, CaseIterable {
  /// It isn't in a pass.
  case idle
  /// It waits for its turn in a pass.
  case waiting
  /// It runs.
  case running
  /// It was told to stop, but hasn't stopped (S13).
  case stopping
  /// Its last run completed.
  case complete
  /// Its last run failed.
  case failed
  /// Its last run was cancelled (S12).
  case cancelled
  /// Its pass failed before its turn (S2).
  case notRun
}

/// How a pass or a run ended (protocol §4, `history`).
public enum OutcomeName: String, Codable, Sendable, Equatable, CaseIterable {
  /// It completed.
  case complete
  /// It stopped with an error.
  case failed
  /// It was cancelled, and counts as neither (S12).
  case cancelled
}

/// The output stream of a line.
public enum OutputName: String, Codable, Sendable, Equatable, CaseIterable {
  /// Standard output.
  case stdout
  /// Standard error.
  case stderr
}

/// Why a run is cancelled.
public enum CancelReason: String, Codable, Sendable, Equatable, CaseIterable {
  /// The app was deactivated.
  case deactivated
  /// It exceeded its timeout.
  case timeout
  /// Another initializer of its pass failed.
  case failed
  /// Its initializer was removed.
  case unregistered
  /// The supervisor is shutting down.
  case shutdown
}

/// A topic of a subscription.
public enum Topic: String, Codable, Sendable, Equatable, CaseIterable {
  /// State events that changed the launch state.
  case launch
  /// State events that changed the active state.
  case active
  /// State events that changed the composite state.
  case composite
  /// State events that changed the lifecycle.
  case lifecycle
  /// Every change of an initializer's shape.
  case initializer
  /// The start and end of every pass.
  case pass
  /// Workers that connect and disconnect.
  case worker
  /// Output lines of commands.
  case log

  /// The default topics of a subscription.
  public static let defaults: [Topic] = [.launch, .active, .composite]
}
