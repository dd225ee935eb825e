internal import CommandLineOptions

/// `lead`: keeps the app of this host active while it leads.
struct LeadCommand: FleetCommand {
  static let help = CommandHelp(
    "lead", "Activate the app of this host when it becomes the leader, until SIGTERM.",
    discussion: """
      Of all hosts that run this command with the same name, one is the leader, and its app is active. When the leader ends or fails,
      another host takes over: at once if the app was deactivated first, or else when the lease has ended. The supervisor itself
      deactivates the app before that.

      If the activation fails on a host, or its app is deactivated, another host takes over.

      Examples:
        initfleet lead billing --etcd http://127.0.0.1:2379 --fleet shop
        initfleet lead billing --host web-1 --lease 15s
      """)

  private(set) var fleet = FleetOptions()
  private var options = HostOptions()
  var lease: Duration { options.lease }
  private var name = ""

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("name", &name, .name, help: "The name of the leadership, e.g. billing.")
    try self.options.visit(&options)
    try fleet.visit(&options)
  }

  func validate() throws(UsageError) { try options.validate() }

  func run(in fleet: FleetConnection) async throws -> ProgramStatus {
    let candidate = Candidate(
      etcd: fleet.etcd, keys: fleet.keys, leadership: name, host: try options.name(),
      leaseSeconds: options.leaseSeconds)
    let path = try options.path()
    let timeout = options.connectTimeout
    return try await fleet.untilSignal {
      try await candidate.serve(socket: path, within: timeout)
    } onSignal: {
      await candidate.resign()
    }
  }
}
