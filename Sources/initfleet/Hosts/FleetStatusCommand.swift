internal import CommandLineOptions
internal import Etcd
internal import Fleet
internal import InitJSON
internal import InitText
internal import InitWire

/// `status`: prints the hosts as a table or as JSON.
struct FleetStatusCommand: FleetCommand {
  static let help = CommandHelp(
    "status", "Show whether the fleet is ready, and all hosts as a table.",
    discussion: """
      A host is shown while its agent holds its lease.

      Examples:
        initfleet status --etcd http://127.0.0.1:2379 --fleet shop
        initfleet status --json | jq -r '.hosts[] | select(.ready | not) | .host'
      """)

  private(set) var fleet = FleetOptions()
  private var json = false

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag("json", &json, help: "Print the status as JSON, on one line.")
    try fleet.visit(&options)
  }

  func run(in fleet: FleetConnection) async throws -> ProgramStatus {
    let view = try await FleetFollower(fleet).read()
    let once = try await fleet.etcd.list(EtcdRange(prefix: fleet.keys.once)).entries
    let status = FleetStatus(
      name: fleet.name, view: view, once: OnceStatus.list(once.map { ($0.key, $0.value, $0.created) }, fleet.keys))
    if json {
      try FleetConsole.write(JSONLine.line(status))
    } else {
      try FleetConsole.write(status.text)
    }
    return .success
  }
}

/// The status of a fleet, for output.
struct FleetStatus: Shape {
  /// The name of the fleet.
  private var fleet = ""
  /// How many hosts are ready.
  private var ready = 0
  private var hosts: [HostStatus] = []
  private var leaders: [LeaderStatus] = []
  private var once: [OnceStatus] = []

  init() {}

  init(name: String, view: FleetView, once: [OnceStatus]) {
    fleet = name
    self.once = once
    hosts = view.sortedHosts.map(HostStatus.init)
    ready = hosts.count { $0.ready }
    leaders = view.leaders.map { LeaderStatus(name: $0.leadership, host: $0.leader.host, fence: $0.leader.created) }
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("fleet", &fleet)
    try json.required("ready", &ready)
    try json.required("hosts", &hosts)
    try json.required("leaders", &leaders)
    try json.required("once", &once)
  }

  /// The same for people.
  var text: String {
    guard !hosts.isEmpty else {
      return
        "NO HOSTS\nNo agent of the fleet \(TerminalText.escape(fleet)) is running: start initfleet agent beside each supervisor.\n"
    }
    var lines = [ready == hosts.count ? "READY" : "NOT READY"]
    lines.append("hosts    \(ready) of \(hosts.count) ready")
    for leader in leaders { lines.append("leader   \(leader.host) leads \(leader.name)") }
    for each in once where each.state != .complete {
      let verb = each.state == .running ? "runs" : "has failed"
      let detail = each.message.map { ": \($0)" } ?? ""
      lines.append("once     \(each.initializer) of release \(each.release) \(verb) on \(each.host)\(detail)")
    }
    let rows = hosts.map { host in
      [
        host.record.host, host.ready ? "yes" : "no", host.record.lifecycle.rawValue, host.record.launch.state.rawValue,
        host.record.active.state.rawValue, host.reason ?? "",
      ]
    }
    lines += [""] + Columns.lines([["HOST", "READY", "LIFECYCLE", "LAUNCH", "ACTIVE", "DETAIL"]] + rows)
    return lines.map { TerminalText.escape($0) + "\n" }.joined()
  }
}

/// A host in the status of a fleet.
struct HostStatus: Shape {
  private(set) var record = HostRecord()
  private(set) var ready = false
  /// Why it isn't ready.
  private(set) var reason: String?

  init() {}

  init(_ record: HostRecord) {
    self.record = record
    switch record.progress(to: .ready) {
    case .ready: ready = true
    case .failed(let reason), .waiting(let reason): self.reason = reason
    }
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try record.visit(&json)
    try json.required("ready", &ready)
    try json.optional("reason", &reason)
  }
}

/// A leader in the status of a fleet.
struct LeaderStatus: Shape {
  /// The name of the leadership.
  fileprivate var name = ""
  fileprivate var host = ""
  /// Larger for each later leader.
  private var fence = 0

  init() {}
  init(name: String, host: String, fence: Int) {
    self.name = name
    self.host = host
    self.fence = fence
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("host", &host)
    try json.required("fence", &fence)
  }
}
