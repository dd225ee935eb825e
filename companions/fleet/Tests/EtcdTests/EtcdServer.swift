import Etcd
import Foundation

/// A member of etcd on this machine, with a directory of its own.
final class EtcdServer: Sendable {
  let port: Int
  private let process: Process
  private let directory: URL

  /// Starts a server, and waits until it answers.
  static func start() async throws -> EtcdServer {
    // Another program may listen at a free port before etcd does; etcd ends then.
    for _ in 0..<5 {
      let server = try EtcdServer()
      if try await server.answers() { return server }
    }
    throw POSIXError(.EADDRINUSE)
  }

  /// Waits until it answers, and returns whether it does; it doesn't if it has ended.
  private func answers() async throws -> Bool {
    let client = try await client()
    for _ in 0..<1200 {
      guard process.isRunning else { return false }
      if (try? await client.list(EtcdRange(prefix: "x"))) != nil { return true }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw POSIXError(.ETIMEDOUT)
  }

  /// Starts a cluster of three members, and waits until each answers.
  static func startCluster() async throws -> [EtcdServer] {
    for _ in 0..<5 {
      let peers = try (0..<3).map { _ in try Self.freePort() }
      let servers = try peers.indices.map { try EtcdServer($0, of: peers) }
      var answering = 0
      for server in servers where try await server.answers() { answering += 1 }
      if answering == servers.count { return servers }
    }
    throw POSIXError(.EADDRINUSE)
  }

  private convenience init() throws { try self.init(0, of: [try Self.freePort()]) }

  /// Starts one of the members with these ports for each other.
  private init(_ place: Int, of peers: [Int]) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "etcd-\(UUID().uuidString)")
    let port = try Self.freePort()
    let cluster = peers.enumerated().map { "e\($0)=http://127.0.0.1:\($1)" }.joined(separator: ",")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let (url, peerURL) = ("http://127.0.0.1:\(port)", "http://127.0.0.1:\(peers[place])")
    process.arguments = [
      "etcd", "--name", "e\(place)", "--data-dir", directory.path(), "--listen-client-urls", url,
      "--advertise-client-urls", url, "--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL,
      "--initial-cluster", cluster, "--log-level", "error",
    ]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    (self.port, self.process, self.directory) = (port, process, directory)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Stops the process: it answers nothing until `resume`.
  func suspend() { Foundation.kill(process.processIdentifier, SIGSTOP) }

  func resume() { Foundation.kill(process.processIdentifier, SIGCONT) }

  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Stops the process until the end of the test.
  func stop() { Foundation.kill(process.processIdentifier, SIGSTOP) }

  var endpoint: EtcdEndpoint { Self.endpoint(port) }

  static func endpoint(_ port: Int) -> EtcdEndpoint { EtcdEndpoint("http://127.0.0.1:\(port)")! }

  /// A client of this member alone.
  @FleetActor func client() throws -> EtcdClient { try EtcdClient(endpoints: [endpoint]) }

  /// Returns a free port.
  static func freePort() throws -> Int {
    let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(probe) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(probe, $0, length) + getsockname(probe, $0, &length) }
    }
    guard status == 0 else { throw POSIXError(.EADDRINUSE) }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
