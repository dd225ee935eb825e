package import InitModel
package import InitWords

/// The environment variables that describe a run to its command.
package enum RunVariables {
  /// The path of the file to which a command can write its output.
  package static let output = "INITD_OUTPUT"
  /// The path of a file with the object of all inputs, for a command of a worker.
  package static let inputs = "INITD_INPUTS"
  /// The fencing token of an initializer that is marked `once`.
  package static let fence = "INITD_FENCE"

  /// Returns whether a variable belongs to an enclosing run or trace, so a run must not inherit it.
  package static func belongsToOuterRun(_ name: String) -> Bool {
    [output, inputs, fence, TraceContext.variable, TraceContext.stateVariable].contains(name)
      || name.hasPrefix(InputVariableName.prefix)
  }

  /// Returns all variables of one run.
  ///
  /// `socket` is the path of the supervisor's socket. `output` is the path of the file for the output; nil if the run has none.
  /// `traceparent` is the run's trace context; nil if it has none.
  package static func all(
    socket: String, initializer: String, run: Int, pass: Int, attempt: Int, phase: Word<Phase>, output: String?,
    traceparent: String?
  ) -> [(name: String, value: String)] {
    var variables: [(name: String, value: String)] = []
    // Room for those that a caller adds.
    variables.reserveCapacity(12)
    variables.append((SocketRule.variable, socket))
    variables.append(("INITD_INITIALIZER", initializer))
    variables.append(("INITD_RUN", String(run)))
    variables.append(("INITD_PASS", String(pass)))
    variables.append(("INITD_ATTEMPT", String(attempt)))
    variables.append(("INITD_PHASE", phase.rawValue))
    if let output { variables.append((Self.output, output)) }
    if let traceparent { variables.append((TraceContext.variable, traceparent)) }
    return variables
  }
}
