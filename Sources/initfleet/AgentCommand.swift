internal import CommandLineOptions
internal import Etcd
internal import Glibc
internal import InitClient
internal import InitWire
internal import Libuv
internal import Platform

/// `agent`: coordinates the supervisor of this host.
struct AgentCommand: ProgramCommand, Sendable {
  static let help = CommandHelp(
    "agent", "Coordinate the supervisor of this host with those of the other hosts, until SIGTERM.",
    discussion: """
      Run one beside each supervisor, by itself or as one of the manifest's workers.

      Examples:
        initfleet agent --etcd http://127.0.0.1:2379 --fleet shop
        initfleet agent --etcd https://a:2379,https://b:2379 --fleet shop --host web-1 --lease 15s
      """)

  private var fleet = FleetOptions()
  private var host: String?
  private var lease = Duration.seconds(10)
  private var socket: String?
  private var connectTimeout: Duration?
  private var authorities: String?
  private var certificate: String?
  private var key: String?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try fleet.visit(&options)
    try options.option("host", &host, .name, help: "The name of this host. Default: its host name.")
    try options.option(
      "lease", &lease, .duration,
      help:
        "How long other hosts wait before they take over from this one if it fails, in whole seconds. Must be longer than the supervisor's cancelGrace. Default: 10s."
    )
    try options.option(
      "socket", &socket, .file("path"), help: "The supervisor's socket. Default: as that of initctl.")
    try options.option(
      "connect-timeout", &connectTimeout, .duration,
      help: "How long to wait for a supervisor that isn't running yet. Default: not at all.")
    options.section("TLS")
    try options.option("cacert", &authorities, .file("file"), help: "The authorities of etcd's certificates.")
    try options.option("cert", &certificate, .file("file"), help: "This client's certificate.")
    try options.option("key", &key, .file("file"), help: "The key of this client's certificate.")
  }

  func validate() throws(UsageError) {
    guard lease >= .seconds(2), lease <= .seconds(86_400), lease.components.attoseconds == 0 else {
      throw UsageError("invalid --lease; use whole seconds, 2s to 24h")
    }
  }

  func run() throws {
    let (endpoints, keys) = (try fleet.endpoints(), try fleet.keys())
    let name = host ?? Self.hostName
    guard InitializerName.isValid(name) else {
      throw UsageError("the host name \"\(name)\" can't be used; give --host NAME", of: "initfleet agent")
    }
    let path = try SocketPath.resolve(asked: socket)
    let loop = try Loop()
    let security = HTTP.Security(authorities: authorities, certificate: certificate, key: key)
    let etcd = Etcd(loop: loop, endpoints: endpoints, security: security)
    let seconds = Int(lease.components.seconds)
    let agent = Agent(loop: loop, etcd: etcd, keys: keys, host: name, leaseSeconds: seconds)
    let outcome = Outcome()
    let service = Task(executorPreference: loop) { [connectTimeout] in
      do {
        try await agent.serve(socket: path, within: connectTimeout)
      } catch {
        outcome.value = error is ClientError ? ProgramStatus(69) : .failure
        InitFleet.complain("\(error)")
      }
      loop.stop()
    }
    var signalsSeen = 0
    let sources = try [SIGTERM, SIGINT].map { signal in
      try SignalSource(loop: loop, signal: signal) {
        signalsSeen += 1
        // The first signal ends it in order; a second one skips the waiting.
        guard signalsSeen == 1 else { return service.cancel() }
        Task(executorPreference: loop) {
          await agent.giveUpClaims()
          service.cancel()
        }
      }
    }
    loop.run()
    for source in sources { source.close() }
    if outcome.value != .success { throw outcome.value }
  }

  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Used on the loop's thread.
  private final class Outcome: @unchecked Sendable {
    var value = ProgramStatus.success
  }
}
