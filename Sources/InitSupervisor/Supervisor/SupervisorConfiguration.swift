internal import Glibc
package import InitCore
internal import InitWire
package import Platform

/// All that is decided before a supervisor starts.
public struct SupervisorConfiguration: Sendable {
  /// Where it listens (protocol §1).
  public var socketPath: String
  /// The socket's permissions.
  public var socketMode: UInt32 = 0o600
  /// The group that both sockets belong to; the process's own unless said.
  public var socketGroup: UInt32?
  /// Another socket at which everybody whom its mode lets in may observe, and nobody more than that; nil for none.
  public var observeSocketPath: String?
  /// That one's permissions.
  public var observeSocketMode: UInt32 = 0o666
  /// Sockets that a service manager has made, in place of our own at those paths.
  package var passedSocket: PassedSocket?
  package var passedObserveSocket: PassedSocket?
  /// Who may do what, beside root and the own user.
  public var permissions = Permissions()
  /// Who is told how things are, if somebody is.
  package var serviceManager: ServiceManager?
  /// Where it keeps which launch initializers have completed since the system's start, so that another supervisor after it doesn't run them
  /// again; nil for nowhere. For one supervisor alone, on a file system of this machine.
  public var stateDirectory: String?
  /// What its machine goes by. Workers can always connect.
  package var machine: Machine.Configuration
  /// What the manifest declares, in order.
  public var initializers: [DeclaredInitializer] = []
  /// The processes that it starts and keeps running, in order.
  public var workers: [DeclaredWorker] = []
  /// The app: started once everything is ready, and never if initialization fails; with its end the supervisor ends.
  public var app: Command?
  /// Whether what is orphaned below this process is its own to reap, and to end at the end. For a program that is nothing but a
  /// supervisor.
  public var adoptsOrphans = false
  /// The environment that every command starts from.
  public var environment: [String: String] = [:]
  /// What of it the manifest says for all: a command whose share of this changes is another command.
  public var declaredEnvironment: [String: String] = [:]
  /// Where the sockets are made that commands report their progress to; a private directory of its own is made in it.
  public var runtimeDirectory = "/tmp"
  /// Whether the app counts as active from the start.
  public var activatesAtStart = false
  /// What the log shows of the output of commands and kept processes.
  public var outputInLog = OutputInLog.failed
  /// What bounds it.
  public var limits = Limits()
  /// The version it tells clients.
  public var version = Release.version

  /// A supervisor at this socket; everything else can be set.
  public init(socketPath: String) { self.init(socketPath: socketPath, machine: Machine.Configuration()) }

  /// A supervisor at this socket, whose machine goes by this; workers can always connect.
  package init(socketPath: String, machine: Machine.Configuration) {
    self.socketPath = socketPath
    self.machine = machine
    self.machine.acceptsWorkers = true
    self.machine.defersPlanning = true
  }

  /// What a supervisor of this process goes by: its environment, and where its variables say that sockets are.
  ///
  /// - Parameter socketPath: where it listens; by the rule of protocol §1 unless said.
  /// - Throws: ``NoSocketPath`` where nothing names a path.
  public static func ofThisProcess(socketPath: String? = nil) throws(NoSocketPath) -> SupervisorConfiguration {
    var variables = ProcessEnvironment.variables()
    // Commands run in other directories.
    for name in ["XDG_RUNTIME_DIR", "TMPDIR"] { variables[name] = variables[name].map(WorkingDirectory.absolute) }
    if socketPath == nil,
      let name = ["INITD_SOCKET", "XDG_RUNTIME_DIR"].first(where: { variables[$0]?.isEmpty == false }),
      !ProcessEnvironment.isText(name)
    {
      throw NoSocketPath(unreadable: name)
    }
    guard let path = SocketRule.path(asked: socketPath, variable: { variables[$0] }, isRoot: geteuid() == 0) else {
      throw NoSocketPath()
    }
    var configuration = SupervisorConfiguration(socketPath: path)
    configuration.environment = inherited(variables)
    let named = [variables["XDG_RUNTIME_DIR"], variables["TMPDIR"]].compactMap(\.self).first { !$0.isEmpty }
    configuration.runtimeDirectory = named ?? sharedMemory ?? "/tmp"
    configuration.machine.seed = .random(in: .min ... .max)
    configuration.makePathsAbsolute()
    return configuration
  }

  /// How many initializers may run at once (S6). At least 1.
  public var concurrency: Int {
    get { machine.concurrency }
    set { machine.concurrency = max(1, newValue) }
  }
  /// How long a pass waits for workers when nothing else can run (S20).
  public var registrationTimeout: Duration {
    get { machine.registrationTimeout }
    set { machine.registrationTimeout = newValue }
  }
  /// How long a run that was told to stop may take before it is killed (S13). A Swift object can't be killed.
  public var cancelGrace: Duration {
    get { machine.cancelGrace }
    set { machine.cancelGrace = newValue }
  }
  /// How long a stop may take at the end before it is told to end (S24).
  public var stopTimeout: Duration {
    get { machine.stopTimeout }
    set { machine.stopTimeout = newValue }
  }
  /// Whether the launch starts by itself (S3).
  public var launchesAtStart: Bool {
    get { machine.launchesAtStart }
    set { machine.launchesAtStart = newValue }
  }

  /// Makes each path one that means the same in every directory, as far as it fits.
  package mutating func makePathsAbsolute() {
    socketPath = WorkingDirectory.absoluteSocket(socketPath)
    observeSocketPath = observeSocketPath.map(WorkingDirectory.absoluteSocket)
    stateDirectory = stateDirectory.map(WorkingDirectory.absolute)
    runtimeDirectory = WorkingDirectory.absolute(runtimeDirectory)
  }

  /// Where files are in memory, if there is such a place: renaming a socket there costs next to nothing, and containers whose root is
  /// read-only have it too.
  private static var sharedMemory: String? { access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : nil }

  /// What commands inherit of a supervisor's own environment: all but what a service manager meant for the supervisor alone.
  public static func inherited(_ variables: [String: String]) -> [String: String] {
    variables.filter { !CommandEnvironment.isPrivate($0.key) }
  }
}

/// Nothing says where a supervisor is to listen.
public struct NoSocketPath: Error, Hashable, Sendable, CustomStringConvertible {
  /// The variable that names a path that isn't UTF-8, if one does.
  var unreadable: String?
  /// What to do, if the program knows.
  var remedy = ""

  /// What is wrong.
  public var description: String {
    if let unreadable { return "cannot choose a path for the socket: $\(unreadable) isn't UTF-8\(remedy)" }
    return "cannot choose a path for the socket: neither $INITD_SOCKET nor $XDG_RUNTIME_DIR is set\(remedy)"
  }
}

/// Two dependencies of one initializer would be handed to a command in one environment variable.
public struct SharedInputVariable: Error, Hashable, Sendable, CustomStringConvertible {
  /// The initializer that depends on both.
  public let initializer: String
  /// The two.
  public let dependencies: [String]
  /// The variable.
  public let variable: String

  /// What is wrong, and what to do.
  public var description: String {
    "cannot start: the dependencies \(dependencies.joined(separator: " and ")) of \(initializer) share the variable \(variable); "
      + "rename one of them"
  }
}

extension SupervisorConfiguration {
  /// Looks for what no run could be given.
  ///
  /// - Throws: the first two dependencies of an initializer that share a variable.
  func checkInputVariables() throws(SharedInputVariable) {
    for declared in initializers {
      let dependencies = declared.declaration.dependencies
      guard let clash = InputVariables.clash(in: dependencies) else { continue }
      throw SharedInputVariable(
        initializer: declared.declaration.name, dependencies: [dependencies[clash.first], dependencies[clash.second]],
        variable: clash.variable)
    }
  }
}
