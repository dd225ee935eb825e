import Glibc

/// Lines for whoever started the program.
enum StandardError {
  /// Writes a line.
  static func write(_ line: String) {
    var bytes = ArraySlice((line + "\n").utf8)
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return }
      bytes = bytes.dropFirst(max(0, count))
    }
  }
}
