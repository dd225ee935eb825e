/// The user, the limits and the priority of a child process; they are ours without a value.
public struct ProcessSettings: Hashable, Sendable {
  /// The user that it becomes before it executes its program, by names; only root can do this.
  public var user: UserName?
  /// How many descriptors it may have, soft and hard.
  public var openFiles: UInt64?
  /// How many bytes of address space it may have (`ulimit -v`), soft and hard.
  public var memory: UInt64?
  /// The largest core file in bytes, soft and hard.
  public var core: UInt64?
  /// Its niceness, -20 to 19.
  public var nice: Int32?

  /// Creates settings that are all ours.
  public init() {}

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

    /// As in a manifest: `USER` or `USER:GROUP`.
    public var description: String { user + (group.map { ":" + $0 } ?? "") }
  }
}
