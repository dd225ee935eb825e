package import InitDeclarations

/// What a runner needs of a supervisor's configuration.
package struct RunnerSettings {
  /// The path of the supervisor's socket, for the environment of what is started.
  package var socketPath: String
  /// The environment of all commands and processes.
  package var environment: [String: String]
  /// The variables that the manifest declares for all of them, and for the app.
  package var declaredEnvironment: [String: String]
  /// The initializers of the manifest, and its kept processes, in order.
  package var initializers: [DeclaredInitializer]
  package var processes: [DeclaredWorker]
  /// The app; nil for none.
  package var app: Command?
  /// The directory in which a private one is created, and the environment variable that contains it.
  package var runtimeDirectory: String
  package var runtimeDirectoryVariable: String?
  /// Whether orphaned grandchildren are adopted, reaped, and ended at shutdown.
  package var adoptsOrphans: Bool
  /// The time that a cancelled run has to stop before it is killed (S13).
  package var cancelGrace: Duration
  /// The seed of random pauses.
  package var seed: UInt64
  package var limits: RunLimits

  /// Collects the settings.
  package init(
    socketPath: String, environment: [String: String], declaredEnvironment: [String: String],
    initializers: [DeclaredInitializer], processes: [DeclaredWorker], app: Command?, runtimeDirectory: String,
    runtimeDirectoryVariable: String?, adoptsOrphans: Bool, cancelGrace: Duration, seed: UInt64, limits: RunLimits
  ) {
    self.socketPath = socketPath
    self.environment = environment
    self.declaredEnvironment = declaredEnvironment
    self.initializers = initializers
    self.processes = processes
    self.app = app
    self.runtimeDirectory = runtimeDirectory
    self.runtimeDirectoryVariable = runtimeDirectoryVariable
    self.adoptsOrphans = adoptsOrphans
    self.cancelGrace = cancelGrace
    self.seed = seed
    self.limits = limits
  }
}
