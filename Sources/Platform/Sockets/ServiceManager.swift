internal import Glibc

/// The service manager that started this process, for notifications with sd_notify(3).
///
/// Notifying never blocks or fails: notifications to a manager that doesn't listen are dropped.
public final class ServiceManager: Sendable {
  /// The interval of watchdog notifications (half of WATCHDOG_USEC); nil for none.
  public let watchdogInterval: Duration?

  private let socket: Descriptor
  private let path: String

  /// Uses NOTIFY_SOCKET; nil if it isn't set or can't be used.
  ///
  /// - Parameter variables: the environment of this process.
  public init?(_ variables: [String: String]) {
    guard let path = variables["NOTIFY_SOCKET"], let start = path.utf8.first,
      start == UInt8(ascii: "/")
        || start == UInt8(ascii: "@"), path.utf8.count <= SocketAddress.maximumPathBytes,
      let socket = try? Descriptor.unixSocket(isDatagram: true)
    else { return nil }
    self.socket = socket
    self.path = path
    let isForUs = variables["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
    let interval = variables["WATCHDOG_USEC"].flatMap(Int64.init).map { Duration.microseconds($0 / 2) }
    watchdogInterval = isForUs ? interval.flatMap { $0 > .zero ? $0 : nil } : nil
  }

  /// Sends assignments, for example `READY=1`.
  ///
  /// A line break in a value would start another assignment, so it becomes a space.
  public func notify(_ assignments: [(name: String, value: String)]) {
    let lines = assignments.map { name, value in
      "\(name)=\(String(decoding: value.utf8.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }, as: UTF8.self))"
    }
    let bytes = Array(lines.joined(separator: "\n").utf8)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    let isAbstract = name[0] == UInt8(ascii: "@")
    if isAbstract { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count + (isAbstract ? 0 : 1) } ?? 0
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, socklen_t(length))
      }
    }
  }
}
