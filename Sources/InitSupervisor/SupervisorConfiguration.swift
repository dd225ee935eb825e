public import InitCore

/// All that is decided before a supervisor starts.
public struct SupervisorConfiguration: Sendable {
  /// Where it listens (protocol §1).
  public var socketPath: String
  /// What its machine goes by. Workers can always connect.
  public var machine: Machine.Configuration
  /// What the manifest declares, in order.
  public var initializers: [DeclaredInitializer] = []
  /// The environment that every command starts from.
  public var environment: [String: String] = [:]
  /// Where the sockets are made that commands report their progress to; a private directory of its own is made in it.
  public var runtimeDirectory = "/tmp"
  /// Whether the app counts as active from the start.
  public var activatesAtStart = false
  /// What bounds it.
  public var limits = Limits()
  /// The version it tells clients.
  public var version = "0.1.0"

  /// A supervisor at this socket; everything else can be set.
  public init(socketPath: String, machine: Machine.Configuration = Machine.Configuration()) {
    self.socketPath = socketPath
    self.machine = machine
    self.machine.acceptsWorkers = true
  }

  /// What commands inherit of a supervisor's own environment: all but what a service manager meant for the supervisor alone.
  public static func inherited(_ variables: [String: String]) -> [String: String] {
    variables.filter { !CommandEnvironment.isPrivate($0.key) }
  }
}
