package import InitModel
internal import InitWire
package import InitWords

/// How much output of runs an explanation shows.
package enum RunOutput {
  /// The maximum number of runs.
  package static let count = 3
  /// The maximum number of lines of a failed run.
  package static let failedLines = 10
  /// How many lines of a run in flight.
  package static let runningLines = 3

  /// Returns the last lines of a run, oldest first.
  package static func lines(of run: Int, in lines: [LogLine], isRunning: Bool = false) -> [String] {
    lines.filter { $0.run == run }.suffix(isRunning ? runningLines : failedLines).map(\.line)
  }
}

extension WhyTree {
  /// Returns why a target isn't complete, with the last lines of failed or current runs; nil for an unknown name.
  ///
  /// `output` returns the last lines of an initializer; the list is empty if they aren't known.
  package static func why(
    _ target: WaitTarget, in situation: Situation, isolation: isolated (any Actor)? = #isolation,
    output: (_ initializer: String) async -> [LogLine]
  ) async -> Explanation? {
    guard var why = why(target, in: situation) else { return nil }
    for told in why.outputs(limit: RunOutput.count) {
      let lines = RunOutput.lines(of: told.run, in: await output(told.name), isRunning: told.isRunning)
      why = why.showing(lines, of: told.name, run: told.run)
    }
    return why
  }
}
