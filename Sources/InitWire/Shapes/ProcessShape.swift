/// A process that the supervisor keeps running (protocol §3, `processes`).
public struct ProcessShape: Codable, Sendable, Equatable {
  /// Its name in the manifest.
  public var name: String
  /// Its process id; nil while it doesn't run.
  public var pid: Int?
  /// How long it has run since its last start, in seconds; nil while it doesn't run.
  public var uptime: Double?
  /// How often it was started again.
  public var restarts: Int
  /// How it ended last, an exit with status 0 included, or why it couldn't be started; nil before that.
  public var lastExit: CauseShape?
  /// When it is started again, in seconds since the Unix epoch; nil unless that is decided.
  public var nextStart: Double?
  /// Whether it ended too often, and isn't started again unless somebody asks for it.
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
