internal import AppInitializers
package import InitJSON
internal import InitProcesses
internal import InitWire
internal import InitWords
package import Logging
internal import WireConversions

/// The values that a program gets when it starts: outputs of initializers, as JSON (S25, S35).
///
/// Everything that the supervisor starts gets its values here: commands and their stops, processes and their checks, and the app. A request
/// for an environment gets the same.
package struct StartValues {
  /// The outputs, by the names of their initializers.
  package let outputs: [String: RawJSON]

  /// Takes the outputs that can be passed on to a program.
  ///
  /// A Swift value that isn't `Encodable` can be passed only to Swift objects. If an `Encodable` value can't be encoded, the log says so.
  package init(_ outputs: [String: any Sendable], for program: String, limit: Int, logger: Logger) {
    var found: [String: RawJSON] = [:]
    for (name, value) in outputs {
      do {
        found[name] = try RunOutput(passingOn: value, limit: limit)?.value
      } catch {
        // The encoding error could contain the secret.
        let reason = value is any AnySecret ? "it can't be written as JSON" : "\(error)"
        logger.warning("cannot pass the output of \(name) to \(program): \(reason)")
      }
    }
    self.outputs = found
  }

  /// Returns the environment variables with the outputs of these dependencies.
  ///
  /// - Throws: the cause, if no variable can hold one of them.
  func variables(of dependencies: [String]) throws(Cause) -> [EnvironmentBlock.Variable] {
    let wanted = Set(dependencies)
    let inputs = InputVariables(outputs.filter { wanted.contains($0.key) })
    if let fault = inputs.fault { throw .error(message: fault) }
    return inputs.variables
  }
}

extension RunnerContext {
  /// Returns these outputs as the values of a program.
  func values(_ outputs: [String: any Sendable], for program: String) -> StartValues {
    StartValues(outputs, for: program, limit: settings.limits.outputBytes, logger: logger)
  }

  /// Returns the last outputs of these initializers as the values of a program that isn't a run.
  func lastValues(of initializers: [String], for program: String) -> StartValues {
    values(manager.use { $0.outputs(of: initializers) }, for: program)
  }
}
