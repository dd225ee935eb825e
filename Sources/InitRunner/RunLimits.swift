/// What commands and processes may take.
public struct RunLimits: Sendable {
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
}
