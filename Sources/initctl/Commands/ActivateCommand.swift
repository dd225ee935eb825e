internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire
internal import InitWords

/// `activate`: makes the app active.
struct ActivateCommand: WaitingCommand {
  static let help = CommandHelp(
    "activate", "Make the app active, and run its active initializers.",
    discussion: """
      Examples:
        initctl activate
        initctl activate --wait --timeout 30s

      If another client decides when the app is active, e.g. initfleet lead, this is refused. With --force on a standby host, the app
      may then be active on two hosts.
      """)

  var waiting = WaitingOptions()
  var connection = ConnectionOptions()
  var isForced = false

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try waiting.visit(&options)
    try options.flag(
      "force", &isForced, help: "Activate the app even if another client decides when it is active.")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let activation = try await client.send(ActivateRequest(force: isForced), within: waiting.timeout)
    if let manager = activation.manager {
      Console.complain(
        "warning: \(manager) hasn't activated this app, so another host may be the leader (initfleet status names it): the app may be active on two hosts, and both may write; initctl deactivate ends it here"
      )
    }
    await ManifestChange.complain(on: client)
    return try await end(pass: activation.pass, of: .active, activation.active, on: client)
  }
}
