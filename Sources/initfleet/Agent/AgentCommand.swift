internal import CommandLineOptions

/// `agent`: coordinates the supervisor of this host.
struct AgentCommand: FleetCommand {
  static let help = CommandHelp(
    "agent", "Coordinate the supervisor of this host with those of the other hosts, until SIGTERM.",
    discussion: """
      Run one agent beside each supervisor, on its own or as one of the manifest's workers.

      Examples:
        initfleet agent --etcd http://127.0.0.1:2379 --fleet shop
        initfleet agent --etcd https://a:2379,https://b:2379 --fleet shop --host web-1 --lease 15s
        initfleet agent --etcd https://a:2379 --fleet shop --user shop --password-file /etc/initfleet/password
      """)

  private(set) var fleet = FleetOptions()
  private var options = HostOptions()
  var lease: Duration { options.lease }

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try self.options.visit(&options)
    try fleet.visit(&options)
  }

  func validate() throws(UsageError) { try options.validate() }

  func run(in fleet: FleetConnection) async throws -> ProgramStatus {
    let agent = Agent(
      etcd: fleet.etcd, keys: fleet.keys, host: try options.name(), leaseSeconds: options.leaseSeconds)
    let path = try options.path()
    let timeout = options.connectTimeout
    return try await fleet.untilSignal {
      try await agent.serve(socket: path, within: timeout)
    } onSignal: {
      await agent.giveUpClaims()
    }
  }
}
