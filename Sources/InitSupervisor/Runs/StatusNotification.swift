internal import Glibc

/// What a command says over its `NOTIFY_SOCKET`, as sd_notify does: lines of `NAME=value`; what isn't known is ignored.
struct StatusNotification: Equatable {
  /// `STATUS=`: what it is doing; else the system's words for `ERRNO=`, the error that it met.
  var message: String?
  /// `X_INITD_PROGRESS=`: how far it is, 0…1.
  var fraction: Double?
  /// `EXTEND_TIMEOUT_USEC=`: so long from now is its new deadline.
  var extend: Duration?

  /// Reads a datagram; a value that isn't what its name asks for is ignored.
  init(_ bytes: [UInt8]) {
    var errno: Int32?
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = String(decoding: line[(equals + 1)...], as: UTF8.self)
      switch String(decoding: line[..<equals], as: UTF8.self) {
      case "STATUS": message = value
      case "X_INITD_PROGRESS": fraction = Double(value).flatMap { (0...1).contains($0) ? $0 : nil }
      case "EXTEND_TIMEOUT_USEC":
        // At most 10⁹ s, the longest a timeout may be on the wire.
        extend = UInt64(value).map { .microseconds(min($0, 1_000_000_000_000_000)) }
      case "ERRNO": errno = Int32(value).flatMap { $0 > 0 && $0 < 4096 ? $0 : nil }
      default: break
      }
    }
    if message == nil, let errno { message = String(cString: strerror(errno)) }
  }

  /// Whether there is nothing in it for us.
  var isEmpty: Bool { self == StatusNotification([]) }
}
