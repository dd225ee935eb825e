internal import ArgumentParser
internal import Etcd

/// `agent`: coordinates the supervisor of this host.
struct AgentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent",
    abstract: "Coordinate the supervisor of this host with those of the other hosts, until SIGTERM.",
    discussion: """
      Run one agent beside each supervisor, on its own or as one of the manifest's workers.

      Examples:
        initfleet agent --etcd http://127.0.0.1:2379 --fleet shop
        initfleet agent --etcd https://a:2379,https://b:2379 --fleet shop --host web-1 --lease 15s
        initfleet agent --etcd https://a:2379 --fleet shop --user shop --password-file /etc/initfleet/password
        initfleet agent --etcd http://127.0.0.1:2379 --fleet shop --keep 20
      """)

  @Option(
    help: ArgumentHelp(
      """
      Keep the records of the n newest releases. When this agent has recorded a completion, it deletes the records of older releases, \
      unless a host of the release is in the fleet. Default: keep all.
      """,
      valueName: "n"))
  var keep: Int?
  @OptionGroup var host: HostOptions
  @OptionGroup var log: LogOptions
  @OptionGroup(title: "The fleet") var fleet: FleetOptions

  func validate() throws {
    if let keep, keep < 1 { throw ValidationError("invalid --keep \(keep); write 1 or more") }
  }

  @FleetActor func run() async throws {
    try await log.run { logger in
      let connection = try fleet.connect()
      let name = try host.name()
      let logger = logger.about(connection, host: name)
      let agent = try Agent(
        connection, host: name, leaseSeconds: host.leaseSeconds, socket: host.socket, keep: keep, logger)
      let timeout = host.connectTimeout ?? .zero
      return {
        try await connection.untilSignal(logger) {
          try await agent.serve(within: timeout)
        } onSignal: {
          await agent.giveUpClaims()
        }
      }
    }
  }
}
