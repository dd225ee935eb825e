internal import Glibc
internal import InitWire
internal import Libuv

/// The standard streams. What was asked for goes to standard output, everything else to standard error.
enum Console {
  /// Writes text to standard output, all of it, before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE when nobody reads any more.
  static func write(_ text: String) throws(SystemError) {
    try write(Array(text.utf8), to: STDOUT_FILENO)
  }

  /// Writes bytes to standard output, all of them, before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE when nobody reads any more.
  static func write(_ bytes: [UInt8]) throws(SystemError) {
    try write(bytes, to: STDOUT_FILENO)
  }

  /// Says something on standard error, in the style of all messages: `initctl: cannot X: why`.
  static func complain(_ message: String) {
    // Where standard error is gone, there is nobody to tell.
    try? write(Array("initctl: \(TerminalText.escape(message))\n".utf8), to: STDERR_FILENO)
  }

  /// Writes lines that are ready for a terminal to standard error.
  static func explain(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    try? write(Array((lines.joined(separator: "\n") + "\n").utf8), to: STDERR_FILENO)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        // Somebody who shares the stream made it non-blocking.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, -1)
      } else if errno != EINTR {
        throw SystemError(call: "write", errno: errno, subject: "standard output")
      }
    }
  }
}
