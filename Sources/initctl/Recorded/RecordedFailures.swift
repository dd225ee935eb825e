internal import CommandLineOptions
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire

/// The output of failed attempts that supervisors have recorded in a state directory.
struct RecordedFailures {
  private let outputs: [FailedOutput]

  /// Reads a state directory.
  ///
  /// No lock is needed: the file is replaced atomically, and an incomplete last line is left out.
  ///
  /// Throws the exit status, after it has printed why the file can't be read.
  init(_ path: String) throws(ProgramStatus) {
    let file = path.hasSuffix("/") ? path + "failures" : path + "/failures"
    let (outputs, damaged) = FailedOutput.read(try StateDirectory.contents(of: file))
    if damaged > 0 {
      let lost = damaged == 1 ? "1 line, which is left out" : "\(damaged) lines, which are left out"
      Console.complain("\(TerminalText.escape(file)) is damaged in \(lost)")
    }
    self.outputs = outputs
  }

  /// Returns the lines, oldest first.
  ///
  /// `supervisor` is the beginning of the instance of the supervisor that executed the attempts; nil for all.
  func lines(of supervisor: String?) -> [LogLine] {
    let chosen = outputs.filter { output in supervisor.map { output.instance?.hasPrefix($0) == true } ?? true }
    return chosen.flatMap(\.shapes).sorted { $0.time < $1.time }
  }
}
