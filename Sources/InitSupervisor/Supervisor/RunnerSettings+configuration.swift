internal import InitCore
internal import InitDeclarations
package import InitProcesses
internal import InitRunner

extension RunnerSettings {
  /// Takes the settings of the runner from a supervisor's.
  init(_ configuration: SupervisorConfiguration) {
    self.init(
      socketPath: configuration.socketPath, environment: configuration.environment,
      declaredEnvironment: configuration.declaredEnvironment, initializers: configuration.initializers,
      processes: configuration.workers, app: configuration.app, runtimeDirectory: configuration.runtimeDirectory,
      runtimeDirectoryVariable: configuration.runtimeDirectoryVariable, adoptsOrphans: configuration.adoptsOrphans,
      cancelGrace: configuration.machine.cancelGrace, seed: configuration.machine.seed,
      limits: configuration.limits.runs)
  }
}

extension SupervisorConfiguration {
  /// Looks for the app's program before anything runs, so a wrong path is reported at once.
  ///
  /// - Throws: the reason why the app can't be started.
  package func findApp() throws(SpawnError) {
    guard let app else { return }
    let environment = try CommandEnvironment.app(commonVariables, socketPath: socketPath, fence: nil)
    try ChildProcess.find(app.arguments, environment: environment, directory: app.directory)
  }
}
