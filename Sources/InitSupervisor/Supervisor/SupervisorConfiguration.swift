internal import Glibc
package import InitCore
public import InitDeclarations
internal import InitProcesses
public import InitRecords
internal import InitRunner
public import InitServer
internal import InitWire
internal import InitWords
package import Platform

/// The settings of a supervisor.
public struct SupervisorConfiguration: Sendable {
  /// The path of the supervisor's socket (protocol §1).
  public var socketPath: String
  /// The socket's permissions.
  public var socketMode: UInt32 = 0o600
  /// The group of both sockets; by default the process's.
  public var socketGroup: UInt32?
  /// The path of a second socket, at which every client has only the role observe; nil for none.
  public var observeSocketPath: String?
  /// The second socket's permissions.
  public var observeSocketMode: UInt32 = 0o666
  /// A socket that a service manager has already created for this path.
  package var passedSocket: PassedSocket?
  package var passedObserveSocket: PassedSocket?
  /// The permissions of other users than root and the supervisor's own.
  public var permissions = Permissions()
  /// The service manager to report to, if there is one.
  package var serviceManager: ServiceManager?
  /// The directory that records which launch initializers have completed since the system booted, so a restarted supervisor doesn't run
  /// them again; nil for none.
  ///
  /// The directory must be on a local file system, and only one supervisor may use it.
  public var stateDirectory: String?
  /// The machine's settings.
  ///
  /// Workers can always connect.
  package var machine: Machine.Configuration
  /// The initializers of the manifest, in order.
  public var initializers: [DeclaredInitializer] = []
  /// The manifest's workers, in order: processes that the supervisor starts and restarts.
  public var workers: [DeclaredWorker] = []
  /// The app: started when everything is ready, and never if initialization fails.
  ///
  /// When the app exits, the supervisor ends.
  public var app: Command?
  /// Whether the supervisor adopts orphaned grandchildren, reaps them, and ends them at shutdown.
  ///
  /// Set it only in a program that is nothing but a supervisor.
  public var adoptsOrphans = false
  /// Whether the supervisor is all that its process does.
  package var isWholeProcess = false
  /// The environment of all commands and processes, and of the app; each may have further variables of its own.
  public var environment: [String: String] = [:]
  /// The variables that the manifest declares.
  ///
  /// Its commands and processes have them already. The app and the conditions of initializers without a command get them from here.
  public var declaredEnvironment: [String: String] = [:]
  /// The directory of the commands' notification sockets; a private directory is created in it.
  public var runtimeDirectory = "/tmp" {
    didSet { if runtimeDirectory != oldValue { runtimeDirectoryVariable = nil } }
  }
  /// The environment variable that contains the directory; nil for none.
  private(set) var runtimeDirectoryVariable: String?
  /// Whether the app is active from the start.
  public var activatesAtStart = false
  /// The ports, by name: chosen when the supervisor starts (S36).
  public var ports: [String: DeclaredPort] = [:]
  /// The processes that somebody runs by hand from the start (S39).
  package var externalProcesses: [String] = []
  /// Whether the supervisor runs again what depends on files when they change, and reloads when ``sourceFiles`` do.
  package var watchesInputs = false
  /// Whether the log says what to do after a launch that has failed.
  package var advisesAfterFailure = false
  /// The files from which the source has read the configuration.
  package var sourceFiles = SourceFiles()
  /// Decides which output of commands and kept processes the log shows.
  public var outputInLog = OutputInLog.failed
  /// The release of the app, for initializers that run once for a release.
  ///
  /// The name follows the rule for initializers' names.
  ///
  /// ``ofThisProcess(socketPath:)`` takes it from the environment variable `INITD_RELEASE`, which overrides a manifest's `release`.
  public var release: String?
  /// The limits.
  public var limits = Limits()
  /// The source that a reload reads again; nil if the configuration can't be reloaded.
  package var source: (any ConfigurationSource)?
  /// The version in the answer to `hello`.
  public var version = Release.version

  /// What a manifest declares of these settings.
  package var settings: DeclaredSettings {
    get {
      DeclaredSettings(
        machine: machine, release: release, environment: declaredEnvironment, activates: activatesAtStart,
        ports: ports)
    }
    set {
      (machine, release, declaredEnvironment) = (newValue.machine, newValue.release, newValue.environment)
      (activatesAtStart, ports) = (newValue.activates, newValue.ports)
    }
  }

  /// Configures a supervisor with this socket and default settings.
  public init(socketPath: String) { self.init(socketPath: socketPath, machine: Machine.Configuration()) }

  /// Configures a supervisor with this socket and these settings of the machine; workers can always connect.
  package init(socketPath: String, machine: Machine.Configuration) {
    self.socketPath = socketPath
    self.machine = machine
    self.machine.acceptsWorkers = true
    self.machine.defersPlanning = true
  }

  /// Returns the settings for a supervisor in this process: its environment, the default paths, and `clientBytes` by the memory of its
  /// cgroup.
  ///
  /// - Parameter socketPath: the socket's path; by default that of protocol §1.
  /// - Returns: the settings.
  /// - Throws: ``NoSocketPath`` if no path is given or set.
  public static func ofThisProcess(socketPath: String? = nil) throws(NoSocketPath) -> SupervisorConfiguration {
    try ofThisProcess(socketPath: socketPath, ProcessEnvironment.variables())
  }

  /// Returns the settings for a caller that has already read the environment.
  package static func ofThisProcess(
    socketPath: String?, _ variables: [String: String]
  ) throws(NoSocketPath) -> SupervisorConfiguration {
    var variables = variables
    // Commands run in other directories.
    for name in ["XDG_RUNTIME_DIR", "TMPDIR"] { variables[name] = variables[name].map(WorkingDirectory.absolute) }
    if socketPath == nil, let name = ProcessEnvironment.firstSetThatIsNoText(of: SocketRule.variables) {
      throw NoSocketPath(unreadable: name)
    }
    guard let path = SocketRule.path(asked: socketPath, variable: { variables[$0] }, isRoot: geteuid() == 0) else {
      throw NoSocketPath()
    }
    var configuration = SupervisorConfiguration(socketPath: path)
    configuration.environment = inherited(variables)
    configuration.release = variables["INITD_RELEASE"].flatMap { $0.isEmpty ? nil : $0 }
    (configuration.runtimeDirectory, configuration.runtimeDirectoryVariable) = PrivateDirectory.usualParent(variables)
    configuration.limits.clients.memory = Limits.memoryOfClients(within: CgroupMemory.limit())
    configuration.machine.seed = .random(in: .min ... .max)
    configuration.makePathsAbsolute()
    return configuration
  }

  /// How many initializers may run at once (S6), at least 1.
  public var concurrency: Int {
    get { machine.concurrency }
    set { machine.concurrency = max(1, newValue) }
  }
  /// How long a pass waits for workers when nothing else can run (S20).
  public var registrationTimeout: Duration {
    get { machine.registrationTimeout }
    set { machine.registrationTimeout = newValue }
  }
  /// The time that a cancelled run has to stop before it is killed (S13).
  ///
  /// A Swift object can't be killed.
  public var cancelGrace: Duration {
    get { machine.cancelGrace }
    set { machine.cancelGrace = newValue }
  }
  /// The time that a stop command has at shutdown before it is terminated (S24).
  public var stopTimeout: Duration {
    get { machine.stopTimeout }
    set { machine.stopTimeout = newValue }
  }
  /// Whether launch starts automatically (S3).
  public var launchesAtStart: Bool {
    get { machine.launchesAtStart }
    set { machine.launchesAtStart = newValue }
  }

  /// The variables that the app gets, and that an initializer without a command sees.
  var commonVariables: [String: String] { environment.merging(declaredEnvironment) { $1 } }

  /// Makes each path absolute if it still fits, because commands may run in other directories.
  package mutating func makePathsAbsolute() {
    socketPath = WorkingDirectory.absoluteSocket(socketPath)
    observeSocketPath = observeSocketPath.map(WorkingDirectory.absoluteSocket)
    stateDirectory = stateDirectory.map(WorkingDirectory.absolute)
    runtimeDirectory = WorkingDirectory.absolute(runtimeDirectory)
  }

  /// Returns the part of the supervisor's environment that commands inherit: all variables except those that a service manager sets for the
  /// service itself.
  public static func inherited(_ variables: [String: String]) -> [String: String] {
    variables.filter { !CommandEnvironment.isPrivate($0.key) }
  }
}

/// The error if no socket path is given, and none is set in the environment.
public struct NoSocketPath: Error, Hashable, Sendable, CustomStringConvertible {
  /// The variable whose path isn't UTF-8, if that is the reason.
  var unreadable: String?
  /// The remedy, if the program knows one.
  var remedy = ""

  /// Says what is wrong.
  public var description: String {
    if let unreadable { return "cannot choose a path for the socket: $\(unreadable) isn't UTF-8\(remedy)" }
    return "cannot choose a path for the socket: neither $INITD_SOCKET nor $XDG_RUNTIME_DIR is set\(remedy)"
  }
}

/// Two dependencies of one initializer have the same environment variable for their output.
public struct SharedInputVariable: Error, Hashable, Sendable, CustomStringConvertible {
  /// The initializer that depends on both.
  public let initializer: String
  /// The two dependencies.
  public let dependencies: [String]
  /// The variable.
  public let variable: String

  /// Says what is wrong, and what to do.
  public var description: String {
    "cannot start: the dependencies \(dependencies.joined(separator: " and ")) of \(initializer) share the variable \(variable); "
      + "rename one of them"
  }
}

extension SupervisorConfiguration {
  /// Checks that no initializer has two dependencies with the same variable.
  ///
  /// - Throws: the first two.
  func checkInputVariables() throws(SharedInputVariable) {
    for declared in initializers {
      let dependencies = declared.declaration.dependencies
      guard let clash = InputVariableName.clash(in: dependencies) else { continue }
      throw SharedInputVariable(
        initializer: declared.declaration.name, dependencies: [dependencies[clash.first], dependencies[clash.second]],
        variable: clash.variable)
    }
  }
}

extension ServerSettings {
  /// Takes the settings of the server from a supervisor's.
  init(_ configuration: SupervisorConfiguration) {
    self.init(
      main: Socket(path: configuration.socketPath, mode: configuration.socketMode, passed: configuration.passedSocket),
      observers: configuration.observeSocketPath.map {
        Socket(path: $0, mode: configuration.observeSocketMode, passed: configuration.passedObserveSocket)
      },
      group: configuration.socketGroup, permissions: configuration.permissions, limits: configuration.limits.clients,
      isWholeProcess: configuration.isWholeProcess)
  }
}
