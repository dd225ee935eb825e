/// Whose turn an initializer's is (protocol §4).
public enum PriorityName: String, WireWord {
  /// It belongs to the launch phase; the default.
  case appLaunch
  /// It belongs to the active phase.
  case appActive
}

/// A phase (semantics, "Words").
public enum PhaseName: String, WireWord {
  /// Runs once, when the manager starts.
  case launch
  /// Runs whenever the app becomes active.
  case active
}

/// Where the app is, whatever its initializers made of it (semantics, "Words").
public enum LifecycleName: String, WireWord {
  /// Nobody holds the app active.
  case inactive
  /// Somebody does.
  case active
}

/// Who runs an initializer (protocol §3).
public enum ProviderName: String, WireWord {
  /// A Swift object in the supervisor.
  case inProcess
  /// A program that the supervisor spawns.
  case command
  /// Another process, over the socket.
  case worker
}

/// What an initializer is doing (protocol §3); `stopping` outranks `waiting`.
public enum InitializerStatusName: String, WireWord {
  /// No pass concerns it.
  case idle
  /// Its pass hasn't come to it.
  case waiting
  /// It runs.
  case running
  /// It was told to stop, and hasn't (S13).
  case stopping
  /// Its last run completed.
  case complete
  /// Its last run failed.
  case failed
  /// Its last run was cancelled (S12).
  case cancelled
  /// Its pass failed before it came to it (S2).
  case notRun
}

/// How a pass or a run ended (protocol §4, `history`).
public enum OutcomeName: String, WireWord {
  /// It did what it should.
  case complete
  /// It stopped with an error.
  case failed
  /// It was cancelled, and counts as neither (S12).
  case cancelled
}

/// Which of a command's outputs a line was written to (protocol §4, `logs`).
public enum OutputName: String, WireWord {
  /// Standard output.
  case stdout
  /// Standard error.
  case stderr
}

/// Why a run is to stop (protocol §6, `cancel`).
public enum CancelReason: String, WireWord {
  /// The app was deactivated.
  case deactivated
  /// It took longer than it may.
  case timeout
  /// Another initializer of its pass failed.
  case failed
  /// It was taken away.
  case unregistered
  /// The supervisor ends.
  case shutdown
}

/// What one may subscribe to (protocol §5).
public enum Topic: String, WireWord {
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
  /// Workers that come and go.
  case worker
  /// Lines that commands write.
  case log

  /// What a subscription is for that names no topics (protocol §4).
  public static let defaults: [Topic] = [.launch, .active, .composite]
}
