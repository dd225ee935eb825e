internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import Glibc

/// One member of etcd: one HTTP/2 connection, which all calls and streams share.
final class EtcdMember: Sendable {
  let endpoint: EtcdEndpoint
  let client: GRPCClient<HTTP2ClientTransport.Posix>
  private let running: Task<Void, any Error>
  private let security: EtcdSecurity
  /// The files of `security`, as they were read.
  private let stamps: [FileStamp?]

  /// Connects when the first call is made.
  ///
  /// - Throws: `EtcdSecurityError`.
  init(_ endpoint: EtcdEndpoint, _ security: EtcdSecurity) throws {
    self.endpoint = endpoint
    self.security = security
    // Before they are read: a later change is noticed.
    stamps = Self.stamps(of: security)
    try Self.check(security)
    var config = HTTP2ClientTransport.Posix.Config.defaults
    config.backoff = .init(initial: .milliseconds(200), max: .seconds(1), multiplier: 1.6, jitter: 0.2)
    // A watch may be silent for a long time, but a lost connection must be noticed soon. etcd accepts a ping every five seconds.
    config.connection.keepalive = .init(time: .seconds(10), timeout: .seconds(3), allowWithoutCalls: false)
    let transport: HTTP2ClientTransport.Posix
    do {
      transport = try HTTP2ClientTransport.Posix(
        target: Self.target(endpoint), transportSecurity: endpoint.isSecure ? Self.tls(security) : .plaintext,
        config: config)
    } catch {
      throw EtcdSecurityError(description: "cannot use the files of --cacert, --cert and --key: \(Self.words(error))")
    }
    let client = GRPCClient(transport: transport)
    self.client = client
    running = Task { try await client.runConnections() }
  }

  deinit {
    client.beginGracefulShutdown()
    running.cancel()
  }

  /// Whether the files of certificates have changed since this member read them.
  var isOutdated: Bool { endpoint.isSecure && stamps != Self.stamps(of: security) }

  private static func stamps(of security: EtcdSecurity) -> [FileStamp?] {
    [security.authorities, security.certificate, security.key].map { $0.flatMap(FileStamp.init) }
  }

  /// Checks that the files can be read.
  private static func check(_ security: EtcdSecurity) throws(EtcdSecurityError) {
    let files = [("--cacert", security.authorities), ("--cert", security.certificate), ("--key", security.key)]
    for case (let option, let file?) in files where access(file, R_OK) != 0 {
      throw EtcdSecurityError(
        description: "cannot use the file of \(option), \(file): \(String(cString: strerror(errno)))")
    }
  }

  private static func target(_ endpoint: EtcdEndpoint) -> any ResolvableTarget {
    if endpoint.host.split(separator: ".", omittingEmptySubsequences: false).count == 4,
      endpoint.host.split(separator: ".").allSatisfy({ UInt8($0) != nil })
    {
      return .ipv4(address: endpoint.host, port: endpoint.port)
    }
    if endpoint.host.contains(":") { return .ipv6(address: endpoint.host, port: endpoint.port) }
    return .dns(host: endpoint.host, port: endpoint.port)
  }

  private static func tls(_ security: EtcdSecurity) -> HTTP2ClientTransport.Posix.TransportSecurity {
    .tls { tls in
      if let file = security.authorities { tls.trustRoots = .certificates([.file(path: file, format: .pem)]) }
      if let file = security.certificate { tls.certificateChain = [.file(path: file, format: .pem)] }
      if let file = security.key { tls.privateKey = .file(path: file, format: .pem) }
    }
  }

  private static func words(_ error: any Error) -> String {
    (error as? RuntimeError)?.cause.map { "\($0)" } ?? "\(error)"
  }
}

/// Identifies the contents of a file.
private struct FileStamp: Sendable, Hashable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// Reads the attributes of a file; nil if there is none.
  init?(_ path: String) {
    var attributes = stat()
    guard stat(path, &attributes) == 0 else { return nil }
    device = UInt(attributes.st_dev)
    inode = UInt(attributes.st_ino)
    size = Int(attributes.st_size)
    seconds = Int(attributes.st_mtim.tv_sec)
    nanoseconds = Int(attributes.st_mtim.tv_nsec)
  }
}
