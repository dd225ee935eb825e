internal import EventLoop

/// Reports once, after a second, that a client waits for a supervisor, even while an attempt gets no answer.
///
/// Use it only on the loop's thread.
final class WaitingNotice: @unchecked Sendable {
  /// How long a client waits silently.
  static let patience = Duration.seconds(1)

  /// Why the last attempt has failed.
  var reason: ClientError
  private let timer: Timer

  /// Creates the notice of a client that waits as long as `within`; `report` reports the wait, with its reason.
  init(loop: Loop, path: String, within: Duration, _ report: (@Sendable (ClientError) -> Void)?) {
    reason = .silent(path: path, after: Self.patience)
    timer = Timer(loop: loop, name: "notice")
    guard let report, within > Self.patience else { return }
    timer.start(after: Self.patience) { [weak self] in if let self { report(reason) } }
  }

  /// Ends the notice: the client is connected, or has given up.
  ///
  /// Further calls have no effect.
  func end() { timer.close() }
}
