package import Platform

/// What a server needs of a supervisor's configuration.
package struct ServerSettings: Sendable {
  /// A socket that clients connect to.
  package struct Socket: Sendable {
    let path: String
    let mode: UInt32
    let passed: PassedSocket?

    /// Describes a socket at `path` with the permissions `mode`, or one that a service manager has already created there.
    package init(path: String, mode: UInt32, passed: PassedSocket?) {
      self.path = path
      self.mode = mode
      self.passed = passed
    }
  }

  let main: Socket
  /// The socket at which every client has only the role observe; nil for none.
  let observers: Socket?
  /// The group of both sockets; by default the process's.
  let group: UInt32?
  /// The permissions of other users than root and the supervisor's own.
  let permissions: Permissions
  let limits: ClientLimits
  /// Whether the supervisor is all that its process does.
  let isWholeProcess: Bool

  /// Collects the settings.
  package init(
    main: Socket, observers: Socket?, group: UInt32?, permissions: Permissions, limits: ClientLimits,
    isWholeProcess: Bool
  ) {
    self.main = main
    self.observers = observers
    self.group = group
    self.permissions = permissions
    self.limits = limits
    self.isWholeProcess = isWholeProcess
  }
}
