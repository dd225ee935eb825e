// The machine's words are also the words on the wire, so users of this module get them all.
@_exported public import InitWords

extension Priority: WireWord {}
extension Phase: WireWord {}
extension Lifecycle: WireWord {}
extension ProviderKind: WireWord {}
extension InitializerStatus: WireWord {}
extension CancelReason: WireWord {}
extension WaitTarget.State: WireWord {}

/// How a pass or a run ended (protocol §4, `history`).
public enum OutcomeName: String, WireWord {
  /// It succeeded.
  case complete
  /// It failed with an error.
  case failed
  /// It was cancelled, which is neither (S12).
  case cancelled
}

/// The output to which a command wrote a line (protocol §4, `logs`).
public enum OutputName: String, WireWord {
  /// Standard output.
  case stdout
  /// Standard error.
  case stderr
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
