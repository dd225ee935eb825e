/// What bounds a supervisor. Each of these, exceeded, is told to the one who did.
public struct Limits: Sendable {
  /// Bytes of a frame from a client, after its hello (protocol §1).
  public var frameBytes = 1024 * 1024
  /// Connections at once.
  public var connections = 1000
  /// Connections that haven't said hello; one more and the oldest goes (protocol §2).
  public var silentConnections = 64
  /// How long a connection may take to say hello (protocol §2).
  public var helloTimeout = Duration.seconds(10)
  /// How long a frame may take from its first byte to its last (protocol §1).
  public var frameTimeout = Duration.seconds(30)
  /// Names known at once, those of the manifest included.
  public var initializers = 10_000
  /// Bytes of the names and dependencies of all initializers: with them a Status always fits in a frame.
  public var declarationBytes = 4 * 1024 * 1024
  /// Waits open at once on one connection.
  public var waits = 1000
  /// Waits open at once on all connections together.
  public var allWaits = 200_000
  /// Bytes that all clients together may hold: queued for them, and of frames that aren't complete. Beyond that, the one that holds most is
  /// disconnected.
  public var clientBytes = 256 * 1024 * 1024
  /// Bytes of events queued for a subscriber before it is sent none (protocol §5).
  public var eventBytes = 1024 * 1024
  /// Bytes of answers queued for a client before no more is read from it.
  public var answerBytes = 1024 * 1024
  /// Frames read from one connection before others have their turn.
  public var framesPerTurn = 64
  /// Lines of output kept, over all commands, and the bytes of all of them.
  public var logLines = 10_000
  public var logBytes = 4 * 1024 * 1024
  /// Bytes of a line of output; what is longer is cut into several.
  public var logLineBytes = 8 * 1024
  /// Bytes of what a run hands to its dependents, as JSON.
  public var outputBytes = 64 * 1024
  /// How long output is read after its command has exited, for the sake of those it left behind.
  public var outputDrain = Duration.milliseconds(200)
  /// How often in a row a worker of the manifest may end soon after its start, before it is given up.
  public var workerBurst = 10
  /// How long such a worker has to live for its end not to count as soon.
  public var workerSettled = Duration.seconds(10)
  /// How long a connection may take to read the last it is sent.
  public var farewell = Duration.seconds(1)

  /// The defaults.
  public init() {}
}
