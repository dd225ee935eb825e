/// What clients may take of a supervisor.
///
/// A client that exceeds a limit gets an error, or is disconnected.
public struct ClientLimits: Sendable {
  /// The maximum size of a frame from a client after hello, in bytes.
  public var frameBytes = 1024 * 1024
  /// Connections at once.
  public var connections = 1000
  /// Connections that haven't sent hello; beyond it, the oldest is closed.
  public var silentConnections = 64
  /// How long a connection may take to send hello.
  public var helloTimeout = Duration.seconds(10)
  /// How long a frame may take from its first byte to its last.
  public var frameTimeout = Duration.seconds(30)
  /// The maximum memory of all clients together, in bytes: queued messages, pending answers, open waits and incomplete frames, as they are
  /// allocated.
  ///
  /// Beyond it, a client is disconnected: the largest one of the user whose clients use the most.
  public var memory = 256 * 1024 * 1024
  /// Bytes of events queued for a subscriber before it gets no more.
  public var eventBytes = 1024 * 1024
  /// Bytes of answers queued for a client before the supervisor stops reading from it.
  public var answerBytes = 1024 * 1024
  /// How many frames are read from a connection before the others have their turn; a frame counts once per 128 bytes, or per 4 µs of work.
  public var framesPerTurn = 64
  /// How long a client may take to read the last message and close its side.
  public var farewell = Duration.seconds(1)

  /// Creates the default limits.
  public init() {}
}
