public import InitServer

/// The limits of a supervisor.
///
/// A client that exceeds one gets an error.
public struct Limits: Sendable {
  /// What clients may take.
  public var clients = ClientLimits()
  /// The maximum number of known names, including those of the manifest.
  public var initializers = 10_000
  /// Bytes of the names and dependencies of all initializers, so a Status always fits into a frame.
  public var declarationBytes = 4 * 1024 * 1024
  /// Waits open at once on one connection.
  public var waits = 1000
  /// Waits open at once on all connections together.
  public var allWaits = 200_000
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

  /// Creates the default limits.
  public init() {}

  /// Returns the default of `clients.memory` for a process whose memory may be limited to this much: at most a quarter of it.
  static func memoryOfClients(within memory: Int?) -> Int { min(ClientLimits().memory, (memory ?? .max) / 4) }
}
