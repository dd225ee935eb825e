internal import CPlatform

/// The report of a crash of this program: one line on standard error, which `scripts/crash-stack` turns into functions and lines.
package enum CrashReport {
  /// Reports crashes from now on; then the signal has its default action.
  ///
  /// Signals that have a handler or are ignored stay as they are.
  ///
  /// The stack's overflow is reported only in the calling thread.
  ///
  /// - Parameters:
  ///   - program: the program's name.
  ///   - version: its version.
  package static func install(program: String, version: String) {
    platform_report_crashes(program, version)
  }
}
