public import AppInitializers
package import InitCore
package import InitWords

/// A program that is an initializer: it is complete when it exits with status 0.
public struct Command: Hashable, Sendable {
  /// The program and its arguments.
  ///
  /// A name without a slash is searched for in its PATH.
  public var arguments: [String]
  /// Variables in addition to the supervisor's environment; they override it.
  public var environment: [String: String]
  /// The working directory; `nil` for the supervisor's.
  public var directory: String?
  /// The program, with its arguments, that is run at shutdown if the command has completed (S24).
  public var stop: [String]?
  /// The user, limits, priority and output of the command.
  package var settings: ProcessSettings {
    get { unusual?.value ?? ProcessSettings() }
    set { unusual = newValue == ProcessSettings() ? nil : Box(newValue) }
  }
  /// The settings, unless all are the supervisor's; on the heap, because few of a large manifest's commands have any.
  private var unusual: Box<ProcessSettings>?

  /// Creates a command from a program, its arguments and its working directory.
  public init(
    _ arguments: [String], environment: [String: String] = [:], directory: String? = nil, stop: [String]? = nil
  ) {
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.stop = stop
  }
}

/// An initializer that isn't a Swift object of the program: one of a manifest, a command or a worker.
public struct DeclaredInitializer: Hashable, Sendable {
  /// The declaration.
  package var declaration: Declaration
  /// The command that runs the initializer; `nil` if a worker must register it, or it waits for a probe.
  public var command: Command?
  /// The probe that the initializer waits for, if that is its work (S31).
  package var probe: Probe? {
    get { probeBox?.value }
    set { probeBox = newValue.map(Box.init) }
  }
  /// Whether the work is to start the kept process of that name, and to wait until it is ready (S32).
  package var isProcess = false
  /// The condition that must hold when the initializer's turn comes; otherwise it is skipped (S29).
  package var condition: Condition? {
    get { conditionBox?.value }
    set { conditionBox = newValue.map(Box.init) }
  }
  /// Whether the output must not appear in logs, states and events.
  public var isSecret: Bool
  /// Whether the initializer runs once for a release on all hosts of a fleet: a coordinator decides where.
  ///
  /// Such an initializer needs ``SupervisorConfiguration/release``.
  public var isOnce: Bool
  /// On the heap, because few initializers of a large manifest have one.
  private var probeBox: Box<Probe>?
  private var conditionBox: Box<Condition>?

  /// Declares an initializer that runs a command or waits for a probe; without both, a worker runs it.
  package init(
    _ declaration: Declaration, command: Command? = nil, probe: Probe? = nil, isProcess: Bool = false,
    isSecret: Bool = false, isOnce: Bool = false
  ) {
    self.declaration = declaration
    self.command = command
    probeBox = probe.map(Box.init)
    self.isProcess = isProcess
    self.isSecret = isSecret
    self.isOnce = isOnce
  }

  /// The kind of the initializer's provider.
  var kind: ProviderKind {
    if command != nil { return .command }
    if probe != nil { return .waitFor }
    return isProcess ? .process : .worker
  }

  /// Declares an initializer run by a command: it is complete when the command exits with status 0.
  ///
  /// A name without a slash is searched for in PATH.
  ///
  /// - Parameters:
  ///   - name: the name of the initializer: 1 to 128 ASCII letters, digits and `._:/@+-`, beginning with a letter or digit.
  ///   - arguments: the program and its arguments.
  ///   - priority: the phase that runs it.
  ///   - dependencies: the names of its dependencies; a Swift initializer has its type's name, unless it declares another.
  ///   - timeout: how long an attempt may take (S15).
  ///   - retry: how a failed run is retried (S16).
  ///   - isOptional: whether the pass continues if the initializer fails (S8).
  ///   - isSecret: whether the output must not appear in logs, states and events.
  ///   - environment: variables in addition to the supervisor's environment; they override it.
  ///   - directory: the working directory; the supervisor's by default.
  ///   - stop: a program and its arguments, run at shutdown if the command has completed (S24), with the same environment and directory.
  /// - Returns: the declaration, for the supervisor.
  public static func command(
    _ name: String, _ arguments: [String], priority: InitializerPriority = .appLaunch, dependencies: [String] = [],
    timeout: Duration? = nil, retry: AppInitializers.RetryPolicy = .never, isOptional: Bool = false,
    isSecret: Bool = false, environment: [String: String] = [:], directory: String? = nil, stop: [String]? = nil
  ) -> DeclaredInitializer {
    let declaration = Declaration(
      name, priority: priority.corePriority, dependencies: dependencies, timeout: timeout, retry: retry.corePolicy,
      isOptional: isOptional)
    let command = Command(arguments, environment: environment, directory: directory, stop: stop)
    return DeclaredInitializer(declaration, command: command, isSecret: isSecret)
  }

  /// Declares an initializer that a worker registers over the socket (S18); the worker sets the attributes that aren't given here.
  ///
  /// The parameters are those of ``command(_:_:priority:dependencies:timeout:retry:isOptional:isSecret:environment:directory:stop:)``.
  public static func worker(
    _ name: String, priority: InitializerPriority = .appLaunch, dependencies: [String] = [], timeout: Duration? = nil,
    retry: AppInitializers.RetryPolicy = .never, isOptional: Bool = false, isSecret: Bool = false
  ) -> DeclaredInitializer {
    DeclaredInitializer(
      Declaration(
        name, priority: priority.corePriority, dependencies: dependencies, timeout: timeout, retry: retry.corePolicy,
        isOptional: isOptional), isSecret: isSecret)
  }
}
