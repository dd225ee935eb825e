internal import AppInitializers
internal import EventLoop
package import InitCore
package import InitDeclarations
internal import InitProcesses
internal import InitWire
package import InitWords
internal import Logging
internal import WireConversions

extension CommandRunner {
  /// Reads the output that a command has written to its file, if it has written any.
  ///
  /// - Throws: the cause, if the output is invalid.
  func readOutput(_ file: OutputFile?, isSecret: Bool) throws(Cause) -> RemoteOutput? {
    do {
      guard let text = try file?.readAndRemove(limit: shared.settings.limits.outputBytes) else { return nil }
      return RemoteOutput(
        output: try RunOutput(written: text, isSecret: isSecret, limit: shared.settings.limits.outputBytes))
    } catch {
      throw .error(message: "cannot use the output in INITD_OUTPUT: \(error)")
    }
  }

  /// Returns the variables that the next run of a command would get, without those that only a run has.
  ///
  /// The inputs are the outputs that the dependencies have now.
  ///
  /// - Throws: the cause, if a variable can't hold one of them.
  package func variables(of declaration: Declaration, _ command: Command) throws(Cause) -> [String: String] {
    try variables(of: declaration, command, values(of: declaration, command))
  }

  /// Returns the directory of the next run of a command; nil for that of the supervisor.
  ///
  /// - Throws: the cause, if a value in it isn't there.
  package func directory(of declaration: Declaration, _ command: Command) throws(Cause) -> String? {
    try values(of: declaration, command).command(command).directory
  }

  /// Returns a command with the values that its next run would get, and its variables.
  ///
  /// - Throws: the cause, if one isn't there.
  func environment(
    of declaration: Declaration, _ command: Command
  ) throws(Cause) -> (command: Command, variables: [String: String]) {
    let values = values(of: declaration, command)
    return (try values.command(command), try variables(of: declaration, command, values))
  }

  /// Returns a message without the secret values that a command's texts have.
  func hidingSecrets(_ message: String, of declaration: Declaration, _ command: Command) -> String {
    values(of: declaration, command).hidingSecrets(in: message)
  }

  private func values(of declaration: Declaration, _ command: Command) -> StartValues {
    let phase: Phase = declaration.priority == .appActive ? .active : .launch
    let name = declaration.name
    return shared.values(shared.manager.use { $0.inputs(of: name, in: phase) }, of: command.references, for: name)
  }

  private func variables(
    of declaration: Declaration, _ command: Command, _ values: StartValues
  ) throws(Cause) -> [String: String] {
    let phase: Phase = declaration.priority == .appActive ? .active : .launch
    var variables = CommandEnvironment.common(
      shared.settings.environment.merging(values.known(in: command.environment)) { $1 })
    variables[SocketRule.variable] = shared.settings.socketPath
    variables["INITD_INITIALIZER"] = declaration.name
    variables["INITD_PHASE"] = phase.rawValue
    for (name, value) in try values.variables(of: declaration.dependencies) + shared.ports.variables {
      variables[name] = value
    }
    return variables
  }

  /// Removes files that killed supervisors of this user have left; soon, because the directory may be large.
  func prepareDirectory() {
    directory.onFallback = { [weak self] why in
      self?.directoryFault = why
      self?.shared.logger.warning("\(why)")
    }
    cleaning.start(after: .milliseconds(100)) { [directory] in directory.removeAbandoned() }
  }
}
