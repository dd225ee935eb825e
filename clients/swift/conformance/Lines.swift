import Glibc

/// Writes the subject's lines: one line at a time, at once, from any thread.
enum Lines {
  /// Writes a line to standard output, for the tests.
  static func say(_ line: String) { write(line, to: STDOUT_FILENO) }

  /// Writes a line to standard error, for people.
  static func complain(_ line: String) { write("subject: \(line)", to: STDERR_FILENO) }

  private static func write(_ line: String, to descriptor: Int32) {
    let bytes = Array("\(line)\n".utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
