package import InitWire

/// Handles what clients send to a server, and answers its questions.
///
/// All functions are called on the loop's thread.
package protocol ServerDelegate: AnyObject {
  /// Handles a client's message.
  func handle(_ message: Envelope, from session: Session)

  /// Removes everything of a client that has been sent its last message, or has disconnected.
  func forget(_ session: Session)

  /// Returns whether somebody waits for messages of this client, so they come before those of others.
  func isAwaited(_ client: Int) -> Bool

  /// Whether some answers are decided, but haven't been passed to their sessions yet.
  var isSettling: Bool { get }

  /// The error for requests that can't be answered any more because the supervisor ends; nil before.
  var endingError: WireError? { get }

  /// Returns the snapshot for a client that has missed events, and has caught up.
  func snapshot() throws(Message.Fault) -> FrameParts
}
