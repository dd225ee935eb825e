/// The user, limits, priority and output of a command or of a kept process.
///
/// A value that isn't given is the supervisor's.
///
/// The manifest, the supervisor and the event loop use the same value, so a new one needs no conversion.
public struct ProcessSettings: Hashable, Sendable {
  /// The user that the process becomes before it executes its program, by names; only root can do this.
  public var user: UserName?
  /// The resource limits of the process.
  public var limits = Limits()
  /// The niceness of the process, -20 to 19.
  public var nice: Int32?
  /// Whether each line of its output goes to the log, regardless of the supervisor's setting for output.
  public var showsOutput = false

  /// Creates settings without values.
  public init() {}

  /// The settings that make the process do other work if they differ: its user and its limits.
  ///
  /// Empty if the user and the limits are the supervisor's.
  public var identity: [String] {
    guard user != nil || limits != Limits() else { return [] }
    let numbers = [limits.openFiles, limits.memory, limits.core]
    return [user?.description ?? ""] + numbers.map { $0.map { "\($0)" } ?? "" }
  }

  /// The most that a process may use of something, soft and hard.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of descriptors.
    public var openFiles: UInt64?
    /// The maximum address space in bytes (`ulimit -v`).
    public var memory: UInt64?
    /// The largest core file in bytes.
    public var core: UInt64?

    /// Creates limits without values.
    public init() {}
  }

  /// A user and a group, by names or numbers.
  public struct UserName: Hashable, Sendable, CustomStringConvertible {
    /// The user.
    public var user: String
    /// The group; nil for the user's own.
    public var group: String?

    /// Names a user, and perhaps a group.
    public init(_ user: String, group: String? = nil) {
      self.user = user
      self.group = group
    }

    /// The text as in a manifest: `USER` or `USER:GROUP`.
    public var description: String { user + (group.map { ":" + $0 } ?? "") }
  }
}
