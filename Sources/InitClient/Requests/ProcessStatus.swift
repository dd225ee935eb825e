public import AppInitializers
internal import InitModel
internal import InitWire

/// A process that the supervisor keeps running: one of the manifest's `workers`, from its start on.
public struct ProcessStatus: Sendable, Hashable {
  /// The name in the manifest.
  public let name: String
  /// The process id; `nil` while it doesn't run.
  public let pid: Int?
  /// The time since the process's last start; `nil` while it doesn't run.
  public let uptime: Duration?
  /// How often the process was restarted.
  public let restarts: Int
  /// The cause of its last exit, even with exit status 0, or why it couldn't be started; `nil` before that.
  public let lastExit: InitializerFailure?
  /// The time of the next restart, in seconds since the Unix epoch; `nil` if no restart is scheduled.
  public let nextStart: Double?
  /// Whether the process was given up after too many exits: it is restarted only when a client requests a launch or an activation.
  public let givenUp: Bool
  /// Why the process isn't started although nothing has failed, for people; otherwise `nil`.
  public let skipped: String?

  init(_ shape: Status.Process) {
    name = shape.name
    pid = shape.pid
    uptime = shape.uptime.map { .seconds($0) }
    restarts = shape.restarts
    lastExit = shape.lastExit.map { InitializerFailure($0) }
    nextStart = shape.nextStart
    givenUp = shape.givenUp
    skipped = shape.skipped?.message
  }
}
