internal import ArgumentParser
internal import Etcd

/// `lead`: keeps the app of this host active while it leads.
struct LeadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lead",
    abstract: "Activate the app of this host when it becomes the leader, until SIGTERM.",
    discussion: """
      One of all hosts that run this command with the same name is the leader, and its app is active. When the leader ends or fails,
      another host takes over: at once if the app was deactivated first, or else when the lease has ended. The supervisor itself
      deactivates the app before that.

      If the activation fails on a host, or its app is deactivated, another host takes over.

      Examples:
        initfleet lead billing --etcd http://127.0.0.1:2379 --fleet shop
        initfleet lead billing --host web-1 --lease 15s
      """)

  @Argument(help: "The name of the leadership, e.g. billing.") var name: String
  @OptionGroup var host: HostOptions
  @OptionGroup var log: LogOptions
  @OptionGroup(title: "The fleet") var fleet: FleetOptions

  func validate() throws {
    guard Name.isValid(name) else {
      throw ValidationError("invalid name \"\(name)\" of a leadership; it \(Name.requirement)")
    }
  }

  @FleetActor func run() async throws {
    try await log.run { logger in
      let connection = try fleet.connect()
      let hostName = try host.name()
      let logger = logger.about(connection, host: hostName, leadership: name)
      let candidate = Candidate(
        connection, leadership: name, host: hostName, leaseSeconds: host.leaseSeconds, socket: host.socket, logger)
      let timeout = host.connectTimeout ?? .zero
      return {
        try await connection.untilSignal(logger) {
          try await candidate.serve(within: timeout)
        } onSignal: {
          await candidate.resign()
        }
      }
    }
  }
}
