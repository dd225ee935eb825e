internal import CommandLineOptions
internal import InitClient
internal import InitJSON
internal import InitModel
internal import InitWire
internal import InitWords
internal import Platform

/// `status`: prints the Status as a table or as JSON.
struct StatusCommand: SupervisorCommand {
  static let help = CommandHelp(
    "status", "Show whether the app is ready, the states, and all initializers as a table.",
    discussion: """
      Several of --failed, --running and --waiting show all of these.

      Examples:
        initctl status
        initctl status migrate --json | jq .composite.state
      """)

  private var names: [String] = []
  private var failed = false
  private var running = false
  private var waiting = false
  private var json = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments(
      "name", &names, .initializerName, help: "The initializers to show. Default: all.")
    try options.flag("failed", &failed, help: "Show only initializers that have failed.")
    try options.flag("running", &running, help: "Show only initializers that run, or are stopping.")
    try options.flag("waiting", &waiting, help: "Show only initializers that wait.")
    try options.flag("json", &json, help: "Print the Status as JSON, on one line.")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    Heap.keep()
    let isWhole = names.isEmpty && !failed && !running && !waiting
    if json, isWhole {
      try Console.write(JSONLine.line(try await client.request(StatusRequest()).bytes))
      return .success
    }
    var status = try await client.send(StatusRequest())
    let known = status.initializers.map(\.name) + (status.processes ?? []).map(\.name)
    if let complaint = UnknownName.complain(ofUnknown: names, among: known) { return complaint }
    if json {
      status.initializers = status.initializers.filter(isShown)
      try Console.write(JSONLine.line(try status.json()[...]))
    } else {
      var table = StatusTable(terminal: .current)
      table.showsManifest = FoundSupervisor.areSeveral
      table.showsOnlyProcesses = !names.isEmpty && !names.contains { name in status[name] != nil }
      try Console.write(table.text(status, now: status.time, showing: isWhole ? nil : { isShown($0) }))
      await ManifestChange.complain(status, of: client)
    }
    return .success
  }

  private func isShown(_ each: Initializer) -> Bool {
    guard names.isEmpty || names.contains(each.name) else { return false }
    switch each.status {
    case .known(.failed) where failed, .known(.running) where running, .known(.stopping) where running,
      .known(.waiting) where waiting:
      return true
    default: return !failed && !running && !waiting
    }
  }
}
