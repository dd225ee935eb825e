/// The environment variables that tell a command of its run.
package enum RunVariables {
  /// The file in which a command leaves what it hands over.
  package static let output = "INITD_OUTPUT"

  /// All of one run.
  ///
  /// - Parameters:
  ///   - socket: the supervisor's.
  ///   - output: the path of the file in which the command may leave something; nil where there is none.
  package static func all(
    socket: String, initializer: String, run: Int, pass: Int, attempt: Int, phase: Word<Phase>, output: String?
  ) -> [(name: String, value: String)] {
    [
      ("INITD_SOCKET", socket), ("INITD_INITIALIZER", initializer), ("INITD_RUN", String(run)),
      ("INITD_PASS", String(pass)),
      ("INITD_ATTEMPT", String(attempt)), ("INITD_PHASE", phase.rawValue),
    ] + (output.map { [(Self.output, $0)] } ?? [])
  }
}
