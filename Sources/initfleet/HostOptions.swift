internal import CommandLineOptions
internal import Glibc
internal import InitClient
internal import InitWords

/// Options of the commands that run beside a supervisor.
struct HostOptions: OptionGroup {
  private var host: String?
  private(set) var lease = Duration.seconds(10)
  private var socket: String?
  /// How long to wait for a supervisor that isn't running yet.
  private(set) var connectTimeout: Duration?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option("host", &host, .name, help: "The name of this host. Default: its host name.")
    try options.option(
      "lease", &lease, .duration,
      help:
        "How long other hosts wait before they take over from this one if it fails, in whole seconds. Must be longer than the supervisor's cancelGrace. Default: 10s."
    )
    try options.option(
      "socket", &socket, .file("path"), help: "The supervisor's socket. Default: the same as for initctl.")
    try options.option(
      "connect-timeout", &connectTimeout, .duration,
      help: "How long to wait for a supervisor that isn't running yet. Default: not at all.")
  }

  /// - Throws: what is wrong with them.
  func validate() throws(UsageError) {
    guard lease >= .seconds(2), lease <= .seconds(86_400), lease.components.attoseconds == 0 else {
      throw UsageError("invalid --lease; use whole seconds, 2s to 24h")
    }
  }

  /// The lease, in seconds.
  var leaseSeconds: Int { Int(lease.components.seconds) }

  /// The supervisor's socket.
  ///
  /// - Throws: that none is given.
  func path() throws(ClientError) -> String { try SocketPath.resolve(asked: socket) }

  /// The name of this host.
  ///
  /// - Throws: that it can't be used.
  func name() throws(UsageError) -> String {
    let name = host ?? Self.hostName
    guard InitializerName.isValid(name) else {
      throw UsageError("the host name \"\(name)\" can't be used; give --host NAME", of: "initfleet")
    }
    return name
  }

  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
