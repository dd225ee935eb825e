internal import Glibc

/// A datagram of a command to its `NOTIFY_SOCKET`, in the format of sd_notify: lines of `NAME=value`; unknown names are ignored.
package struct StatusNotification: Equatable, Sendable {
  /// `STATUS=`: a message; else the system's text for the error number in `ERRNO=`.
  package var message: String?
  /// `X_INITD_PROGRESS=`: the fraction, 0…1.
  package var fraction: Double?
  /// `READY=1`: the process is ready.
  package var isReady = false
  /// `WATCHDOG=1`: the process is alive.
  package var isAlive = false
  /// `EXTEND_TIMEOUT_USEC=`: the new deadline, as a duration from now.
  package var extend: Duration?

  /// Parses a datagram; malformed values are ignored.
  package init(_ bytes: [UInt8]) {
    var errno: Int32?
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = String(decoding: line[(equals + 1)...], as: UTF8.self)
      switch String(decoding: line[..<equals], as: UTF8.self) {
      case "STATUS": message = value
      case "X_INITD_PROGRESS": fraction = Double(value).flatMap { (0...1).contains($0) ? $0 : nil }
      case "EXTEND_TIMEOUT_USEC":
        // The maximum is 10⁹ s, the longest timeout on the wire.
        extend = UInt64(value).map { .microseconds(min($0, 1_000_000_000_000_000)) }
      case "READY": isReady = value == "1"
      case "WATCHDOG": isAlive = value == "1"
      case "ERRNO": errno = Int32(value).flatMap { $0 > 0 && $0 < 4096 ? $0 : nil }
      default: break
      }
    }
    if message == nil, let errno { message = String(cString: strerror(errno)) }
  }

  /// Whether the notification contains no known value.
  package var isEmpty: Bool { self == StatusNotification([]) }
}
