internal import CommandLineOptions
internal import EventLoop
internal import Fleet
internal import InitJSON
internal import InitText
internal import InitWire

/// `watch`: prints every change of the fleet.
struct FleetWatchCommand: FleetCommand {
  static let help = CommandHelp(
    "watch", "Show each host and leader, then every change, until interrupted.",
    discussion: """
      With --json, the lines are {"topic":"host",…} with the members of a host in initfleet status --json; {"topic":"left","host":NAME} when
      the host's agent or lease has ended; and {"topic":"leader","name":NAME,"host":NAME}, without "host" if there is no leader.

      Examples:
        initfleet watch
        initfleet watch --json | jq 'select(.topic == "host" and .ready) | .host'
      """)

  private(set) var fleet = FleetOptions()
  private var json = false

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag("json", &json, help: "Print each change as JSON, on one line.")
    try fleet.visit(&options)
  }

  func run(in fleet: FleetConnection) async throws -> ProgramStatus {
    let printer = ChangePrinter(isJSON: json)
    return try await FleetFollower(fleet).follow { _, changes in
      for change in changes { try printer.print(change) }
      return nil
    }
  }
}

/// Prints changes, unless nothing in the line has changed.
@ProgramLoop private final class ChangePrinter {
  private let isJSON: Bool
  /// The last line about each host.
  private var last: [String: String] = [:]

  init(isJSON: Bool) { self.isJSON = isJSON }

  func print(_ change: FleetView.Change) throws {
    if isJSON { return try FleetConsole.write(JSONLine.line(ChangeShape(change))) }
    let line = Self.line(change)
    switch change {
    case .host(let record):
      guard last.updateValue(line, forKey: record.host) != line else { return }
    case .left(let host): last[host] = nil
    case .leader: break
    }
    try FleetConsole.write(TerminalText.escape("\(MomentText.print(WallTime.now))  \(line)") + "\n")
  }

  private static func line(_ change: FleetView.Change) -> String {
    switch change {
    case .host(let record):
      switch record.progress(to: .ready) {
      case .ready: "\(record.host) is ready"
      case .failed(let reason), .waiting(let reason): "\(record.host) isn't ready: \(reason)"
      }
    case .left(let host): "\(host) has left: its agent has ended, or its lease"
    case .leader(let name, let host?): "\(host) leads \(name)"
    case .leader(let name, nil): "\(name) has no leader"
    }
  }
}

/// A change as JSON.
private struct ChangeShape: Shape {
  private var topic = ""
  private var status: HostStatus?
  private var name: String?
  private var host: String?

  init() {}

  init(_ change: FleetView.Change) {
    switch change {
    case .host(let record):
      topic = "host"
      status = HostStatus(record)
    case .left(let host):
      topic = "left"
      self.host = host
    case .leader(let name, let host):
      topic = "leader"
      self.name = name
      self.host = host
    }
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("topic", &topic)
    try json.optional("name", &name)
    if status == nil { try json.optional("host", &host) }
    try status?.visit(&json)
  }
}
