import InitCore
import InitManifest
import InitModel
import InitSupervisor
import InitText
import InitWire

extension WorkerManifestShape {
  /// Creates the shape of a manifest that was read for a worker.
  ///
  /// Relative paths are relative to the manifest's directory.
  init(_ manifest: Manifest) {
    let directory = Path.directory(of: manifest.file)
    self.init(
      cancelGrace: manifest.cancelGrace.inSeconds,
      initializers: manifest.initializers.compactMap { initializer in
        guard case .command(let declared) = initializer.provider else { return nil }
        let command = Command(declared, in: directory)
        return CommandShape(
          RegisterRequest.Registration(initializer), command: command.arguments,
          environment: (manifest.environment + declared.environment).map { "\($0.name)=\($0.value)" },
          directory: command.directory, secret: initializer.isSecret)
      })
  }
}

extension RegisterRequest.Registration {
  /// Takes the given values.
  ///
  /// For attributes that aren't given, the supervisor's manifest or its defaults apply.
  fileprivate init(_ initializer: Manifest.Initializer) {
    let declaration = initializer.declaration
    let said = initializer.said
    let retry = declaration.retry
    self.init(
      name: declaration.name, priority: said.contains(.priority) ? declaration.priority : nil,
      dependencies: said.contains(.dependencies) ? declaration.dependencies : nil,
      timeout: declaration.timeout?.inSeconds,
      retry: said.contains(.retry)
        ? RegisterRequest.Retry(
          attempts: retry.attempts, delay: retry.delay.inSeconds, factor: retry.factor,
          maxDelay: retry.maxDelay.inSeconds) : nil,
      perProcess: said.contains(.perProcess) ? declaration.isPerProcess : nil,
      optional: said.contains(.optional) ? declaration.isOptional : nil, description: initializer.description)
  }
}
