// The machine's names are also the names on the wire.
package import InitJSON
public import InitWords

extension Priority: WireWord {}
extension Phase: WireWord {}
extension Lifecycle: WireWord {}
extension ProviderKind: WireWord {}
extension InitializerStatus: WireWord {}
extension CancelReason: WireWord {}
extension WaitTarget.State: WireWord {}

/// The outcome of a pass or a run (protocol §4, `history`).
public enum OutcomeName: String, WireWord {
  /// Succeeded.
  case complete
  /// Failed with an error.
  case failed
  /// Cancelled, which is neither (S12).
  case cancelled
}

/// The output to which a command wrote a line (protocol §4, `logs`).
public enum OutputName: String, WireWord {
  /// Standard output.
  case stdout
  /// Standard error.
  case stderr
}

/// Why an initializer isn't run although nothing has failed (protocol §3).
public enum SkippedReason: String, WireWord {
  /// The supervisor was told to skip the initializer (S28).
  case requested
  /// The condition didn't hold (S29).
  case condition
  /// The initializer completed before, with the same definition and inputs (S30).
  case fresh
  /// The supervisor was told to run only other initializers (S28).
  case unselected
}

/// Why an initializer runs again although an earlier supervisor has run it (protocol §3).
public enum AgainReason: String, WireWord {
  /// The output is secret, so it wasn't recorded.
  case secret
  /// The initializer was stopped at the shutdown (S24).
  case stopped
  /// Failed.
  case failed
  /// Cancelled.
  case cancelled
  /// The supervisor ended while the initializer ran.
  case interrupted
  /// The definition has changed since the initializer completed.
  case changed
  /// The inputs aren't known to be the same as when the initializer completed (S30).
  case inputs
  /// A dependency has run since the initializer completed (S26, S30).
  case stale
  /// The initializer completed longer ago than its `freshFor` (S30).
  case expired
  /// The effect ended with its process (S22).
  case perProcess
  /// The initializer waits for something outside of the supervisor, which is checked at each start (S31).
  case checked
  /// The effect ended with the supervisor's own process.
  case inProcess
  /// The coordinator decides whether the initializer runs.
  case once
  /// The initializer depends on another initializer that runs again.
  case dependency
  /// The completion didn't fit into the state file.
  case unrecorded
}

/// The topics of subscriptions (protocol §5).
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
  /// Workers that connect and disconnect.
  case worker
  /// Output lines of commands.
  case log

  /// The topics of a subscription that names none (protocol §4).
  public static let defaults: [Topic] = [.launch, .active, .composite]
}

extension Rule<String> {
  package static var initializerName: Rule {
    Rule(requirement: InitializerName.requirement, allows: InitializerName.isValid)
  }
}
