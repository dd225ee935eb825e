internal import InitCore
internal import InitModel
package import InitProcesses
internal import InitWire

/// The environment of a command.
package enum CommandEnvironment {
  /// Returns the variables of one run; they override all others.
  static func run(
    _ start: RunStart, socketPath: String, notifySocket: String?, outputFile: String? = nil,
    fence: Int? = nil, traceparent: String? = nil, inputs: [EnvironmentBlock.Variable] = []
  ) -> [EnvironmentBlock.Variable] {
    var variables: [EnvironmentBlock.Variable] = RunVariables.all(
      socket: socketPath, initializer: start.initializer, run: start.run.rawValue, pass: start.pass.rawValue,
      attempt: start.attempt,
      phase: .known(start.phase), output: outputFile, traceparent: traceparent)
    if let fence { variables.append((RunVariables.fence, String(fence))) }
    if let notifySocket { variables.append(("NOTIFY_SOCKET", notifySocket)) }
    variables += inputs
    return variables
  }

  /// Returns the part of the environment that all runs of a command share.
  ///
  /// The other variables are per run: the notification socket, the output file, the trace context, and the inputs.
  static func common(_ variables: [String: String]) -> [String: String] {
    variables.filter { $0.key != "NOTIFY_SOCKET" && !RunVariables.belongsToOuterRun($0.key) }
  }

  /// Returns the environment of a process that isn't a run: the app, or a kept process.
  static func process(_ variables: [String: String], socketPath: String) -> [String: String] {
    variables.merging([SocketRule.variable: socketPath]) { $1 }
  }

  /// Returns the environment of the app; `fence` is the fencing token of the leader, if there is one, and `inputs` are outputs.
  package static func app(
    _ variables: [String: String], socketPath: String, fence: Int?, inputs: [EnvironmentBlock.Variable] = []
  ) throws(SpawnError) -> EnvironmentBlock {
    var environment = variables
    environment[RunVariables.fence] = fence.map(String.init)
    for (name, value) in inputs { environment[name] = value }
    return try EnvironmentBlock(process(environment, socketPath: socketPath))
  }

  /// Returns whether a service manager sets the variable only for the service itself, not for its children.
  package static func isPrivate(_ name: String) -> Bool {
    name == "NOTIFY_SOCKET" || name.hasPrefix("LISTEN_") || name.hasPrefix("WATCHDOG_")
  }
}
