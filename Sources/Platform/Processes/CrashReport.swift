internal import CPlatform

/// The report of a crash of this program: one line on standard error, which `scripts/crash-stack` turns into functions and lines.
package enum CrashReport {
  /// Reports crashes from now on; then the signal has its default action.
  ///
  /// Signals that have a handler or are ignored stay as they are.
  ///
  /// A stack overflow is reported only in the calling thread.
  ///
  /// - Parameters:
  ///   - program: the name of the program.
  ///   - version: the version of the program.
  package static func install(program: String, version: String) {
    platform_report_crashes(program, version)
  }
}
