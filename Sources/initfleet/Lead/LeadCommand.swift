internal import CommandLineOptions

/// `lead`: keeps the app of this host active while it leads.
struct LeadCommand: FleetCommand {
  static let help = CommandHelp(
    "lead", "Activate the app of this host when it becomes the leader, until SIGTERM.",
    discussion: """
      Of all hosts that run this command with the same name, one leads, and its app is active. When it ends or fails, another one takes over:
      at once if the app has been deactivated before, else when the lease has ended. The supervisor itself deactivates the app before that.

      A host whose activation fails, or whose app someone deactivates, lets another host lead.

      Examples:
        initfleet lead billing --etcd http://127.0.0.1:2379 --fleet shop
        initfleet lead billing --host web-1 --lease 15s
      """)

  private(set) var fleet = FleetOptions()
  private var options = HostOptions()
  var lease: Duration { options.lease }
  private var name = ""

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("name", &name, .name, help: "What is led.")
    try self.options.visit(&options)
    try fleet.visit(&options)
  }

  func validate() throws(UsageError) { try options.validate() }

  func run(in fleet: FleetConnection) async throws -> ProgramStatus {
    let candidate = Candidate(
      etcd: fleet.etcd, keys: fleet.keys, leadership: name, host: try options.name(),
      leaseSeconds: options.leaseSeconds)
    let (path, timeout) = (try options.path(), options.connectTimeout)
    return try await fleet.untilSignal {
      try await candidate.serve(socket: path, within: timeout)
    } onSignal: {
      await candidate.resign()
    }
  }
}
