internal import Glibc

/// The standard streams, written without buffering.
public enum StandardStream: Int32, Sendable {
  /// Standard output.
  case output = 1
  /// Standard error.
  case error = 2

  /// Writes all bytes before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE if the reader has closed it.
  public func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        // Another process that shares the stream made it non-blocking.
        var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, -1)
      } else if errno != EINTR {
        throw SystemError(call: "write", errno: errno, subject: self == .output ? "standard output" : "standard error")
      }
    }
  }

  /// Writes a line, and ignores errors.
  public func say(_ line: String) { try? write(Array((line + "\n").utf8)) }
}
