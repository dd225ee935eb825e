import InitCore
import InitDeclarations
import InitManifest
import InitModel
import InitSupervisor
import InitText
import InitWire

extension WorkerManifest {
  /// Creates the shape of a manifest that was read for a worker.
  ///
  /// Relative paths are relative to the manifest's directory.
  init(_ manifest: Manifest) {
    let directory = Path.directory(of: manifest.file)
    self.init(
      cancelGrace: manifest.settings.machine.cancelGrace.inSeconds,
      initializers: manifest.initializers.compactMap { initializer in
        guard let declared = initializer.command else { return nil }
        let command = declared.located(in: directory, manifest.settings.environment)
        return WorkerManifest.Command(
          RegisterRequest.Registration(initializer), command: command.arguments,
          environment: command.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" },
          directory: command.directory, secret: initializer.isSecret)
      })
  }
}

extension RegisterRequest.Registration {
  /// Takes the given values.
  ///
  /// For attributes that aren't given, the supervisor's manifest or its defaults apply.
  fileprivate init(_ initializer: Manifest.Entry<DeclaredInitializer>) {
    let declaration = initializer.declaration
    let given = initializer.given
    let retry = declaration.retry
    self.init(
      name: declaration.name, priority: given["phase"] != nil || given["priority"] != nil ? declaration.priority : nil,
      dependencies: given["dependencies"] != nil ? declaration.dependencies : nil,
      timeout: declaration.timeout?.inSeconds,
      retry: given["retry"] != nil
        ? RegisterRequest.Retry(
          attempts: retry.attempts, delay: retry.delay.inSeconds, factor: retry.factor,
          maxDelay: retry.maxDelay.inSeconds) : nil,
      perProcess: given["perProcess"] != nil ? declaration.isPerProcess : nil,
      optional: given["optional"] != nil ? declaration.isOptional : nil, description: initializer.description)
  }
}
