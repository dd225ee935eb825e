// The words of the machine are the words on the wire: users of this module have them all.
@_exported public import InitWords

extension Priority: WireWord {}
extension Phase: WireWord {}
extension Lifecycle: WireWord {}
extension ProviderKind: WireWord {}
extension InitializerStatus: WireWord {}
extension CancelReason: WireWord {}

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
