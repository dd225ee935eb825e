internal import CPlatform
internal import Glibc

/// A program that goes on when the one that has started it ends.
package enum BackgroundProgram {
  /// Starts it in a session of its own, in a directory, with an empty input, and with a file as its output and errors.
  ///
  /// `arguments` and `environment` end with nil. If `isInPath`, the program is searched for in PATH.
  ///
  /// - Returns: its pid.
  /// - Throws: why it can't be started.
  package static func start(
    _ program: String, isInPath: Bool, arguments: [UnsafeMutablePointer<CChar>?],
    environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, in directory: String, log: String
  ) throws(SystemError) -> Int32 {
    var pid: Int32 = 0
    let error = platform_start_background(
      program, isInPath ? 1 : 0, arguments, environment, directory, log, &pid)
    guard error == 0 else { throw SystemError(call: "start", errno: error, subject: program) }
    return pid
  }
}
