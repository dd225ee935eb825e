internal import EventLoop

/// The pauses between attempts to reach a supervisor, by how the last attempt has failed: a value.
///
/// While nothing listens, the pauses are short, because such an attempt costs nobody anything. A supervisor that refuses a client, or closes
/// its connection, has work with each attempt, so those pauses grow to a second. Only success shortens them again: an accepted connection
/// isn't success.
struct ConnectPauses {
  private var absence = Backoff.waiting
  private var trouble = Backoff.reconnecting

  /// Returns the pause after an attempt that has failed with `error`; nil after the loss of a connection that was in use.
  ///
  /// `jitter` is from 0 to 1.
  mutating func next(after error: ClientError?, jitter: Double = .random(in: 0...1)) -> Duration {
    error?.isAbsence == true ? absence.next(jitter: jitter) : trouble.next(jitter: jitter)
  }

  /// Resets the pauses, after success.
  mutating func reset() { self = ConnectPauses() }
}

extension ClientError {
  /// Whether nothing listens at the socket, so another attempt is cheap.
  fileprivate var isAbsence: Bool {
    switch self {
    case .unreachable(.notFound), .unreachable(.refused): true
    case .unreachable, .noSocketPath, .silent, .unresponsive, .notASupervisor, .lost, .closed, .refused, .unsendable,
      .timedOut, .cancelled:
      false
    }
  }
}
