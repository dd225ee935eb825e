/// The limits of a supervisor.
///
/// A client that exceeds one gets an error.
public struct Limits: Sendable {
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
  /// The maximum number of known names, including those of the manifest.
  public var initializers = 10_000
  /// Bytes of the names and dependencies of all initializers, so a Status always fits into a frame.
  public var declarationBytes = 4 * 1024 * 1024
  /// Waits open at once on one connection.
  public var waits = 1000
  /// Waits open at once on all connections together.
  public var allWaits = 200_000
  /// The maximum memory of all clients together, in bytes: queued messages, pending answers, open waits and incomplete frames, as they are
  /// allocated.
  ///
  /// Beyond it, a client is disconnected: the largest one of the user whose clients use the most.
  public var clientBytes = 256 * 1024 * 1024
  /// Bytes of events queued for a subscriber before it gets no more.
  public var eventBytes = 1024 * 1024
  /// Bytes of answers queued for a client before the supervisor stops reading from it.
  public var answerBytes = 1024 * 1024
  /// How many frames are read from a connection before the others have their turn; a frame counts once per 128 bytes, or per 4 µs of work.
  public var framesPerTurn = 64
  /// Output lines kept for all commands.
  public var logLines = 10_000
  /// The maximum total size of the kept lines, in bytes.
  public var logBytes = 4 * 1024 * 1024
  /// Bytes of a line of output; a longer one is split.
  public var logLineBytes = 8 * 1024
  /// Bytes of a run's output, as JSON.
  public var outputBytes = 64 * 1024
  /// How long output is read after a command has exited, for processes that it left behind.
  public var outputDrain = Duration.milliseconds(200)
  /// How often in a row a worker of the manifest may exit soon after its start before it is given up.
  public var workerBurst = 10
  /// The minimum run time of such a worker after which its exit doesn't count as soon.
  public var workerSettled = Duration.seconds(10)
  /// How long a client may take to read the last message and close its side.
  public var farewell = Duration.seconds(1)

  /// Creates the default limits.
  public init() {}

  /// Returns the default of `clientBytes` for a process whose memory may be limited to this much: at most a quarter of it.
  static func clientBytes(within memory: Int?) -> Int { min(Limits().clientBytes, (memory ?? .max) / 4) }
}
