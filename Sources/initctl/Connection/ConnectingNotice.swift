internal import Libuv

/// Prints on standard error that a command waits for a supervisor that isn't running yet, unless ``end()`` is called within a second. Only
/// for the loop's thread.
final class ConnectingNotice: @unchecked Sendable {
  /// How long a supervisor may take without a notice.
  private static let patience = Duration.seconds(1)

  private let timer: Timer

  /// - Parameter within: how long the command waits; nil if it doesn't.
  init(loop: Loop, path: String, within: Duration?) {
    timer = Timer(loop: loop, name: "notice")
    guard let within, within > Self.patience else { return }
    timer.start(after: Self.patience) { Console.complain("waiting for a supervisor at \(path)") }
  }

  /// It is connected, or has given up. Further calls have no effect.
  func end() { timer.close() }
}
