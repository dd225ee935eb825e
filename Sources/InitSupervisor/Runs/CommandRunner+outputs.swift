internal import AppInitializers
internal import InitBridge
internal import InitCore
internal import InitWire
internal import Logging
internal import Platform

extension CommandRunner {
  /// Where a command may leave what it hands over; nil where there is no place for it, which `notifySocket` has told.
  func outputFile(of run: Int) -> OutputFile? {
    (try? directory.path()).map { OutputFile(path: "\($0)/output-\(run)") }
  }

  /// What a command left there, if it left something.
  ///
  /// - Throws: the cause, where it can't be taken.
  func take(_ file: OutputFile?, isSecret: Bool) throws(Cause) -> RemoteOutput? {
    do {
      guard let text = try file?.take(limit: limits.outputBytes) else { return nil }
      return RemoteOutput(output: try RunOutput(written: text, isSecret: isSecret, limit: limits.outputBytes))
    } catch {
      throw .error(message: "cannot hand over what it wrote to INITD_OUTPUT: \(error)")
    }
  }

  /// What a command's dependencies have handed over, as variables.
  ///
  /// - Throws: the cause, where a dependency has handed over what no variable can hold.
  func inputs(of context: RunContext) throws(Cause) -> InputVariables {
    let inputs = InputVariables(context.remoteInputs(limit: limits.outputBytes, logger: logger))
    if let unfit = inputs.unfit {
      throw .error(
        message:
          "cannot pass on the output of \(unfit): its text contains NUL, which no environment variable can contain; remove it from the output"
      )
    }
    return inputs
  }
}
