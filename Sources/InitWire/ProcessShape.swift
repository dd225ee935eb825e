/// A process that the supervisor keeps running (protocol §3, `processes`).
public struct ProcessShape: Codable, Sendable, Equatable {
  /// Its name in the manifest.
  public var name: String
  /// Its process id; nil while it doesn't run.
  public var pid: Int?
  /// How long it has run since its last start, in seconds; nil while it doesn't run.
  public var uptime: Double?
  /// How often it was restarted.
  public var restarts: Int
  /// How it last exited, including with status 0, or why it couldn't be started; nil before that.
  public var lastExit: CauseShape?
  /// When it will be restarted, in seconds since the Unix epoch; nil if no restart is scheduled.
  public var nextStart: Double?
  /// Whether it exited too often, and isn't restarted until a client requests it.
  public var givenUp: Bool

  /// A process at one moment.
  public init(
    name: String, pid: Int? = nil, uptime: Double? = nil, restarts: Int = 0, lastExit: CauseShape? = nil,
    nextStart: Double? = nil, givenUp: Bool = false
  ) {
    self.name = name
    self.pid = pid
    self.uptime = uptime
    self.restarts = restarts
    self.lastExit = lastExit
    self.nextStart = nextStart
    self.givenUp = givenUp
  }
}
