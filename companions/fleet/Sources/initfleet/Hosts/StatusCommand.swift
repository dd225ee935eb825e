internal import ArgumentParser
internal import Etcd
internal import Fleet

/// `status`: prints the hosts as a table or as JSON.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show whether the fleet is ready, and all hosts as a table.",
    discussion: """
      A host is shown while its agent holds its lease.

      Examples:
        initfleet status --etcd http://127.0.0.1:2379 --fleet shop
        initfleet status --json | jq -r '.hosts[] | select(.ready | not) | .host'
      """)

  @Flag(help: "Print the status as JSON, on one line.") var json = false
  @OptionGroup(title: "The fleet") var options: FleetOptions

  @FleetActor func run() async throws {
    let fleet = try options.connect()
    let follower = FleetFollower(fleet)
    let status = FleetStatus(name: fleet.name, view: try await follower.read(), once: try await follower.readOnce())
    try Console.write(json ? try JSONLine.text(status) : status.text)
  }
}

/// The status of a fleet, for output.
struct FleetStatus: Encodable {
  /// The name of the fleet.
  private let fleet: String
  /// How many hosts are ready.
  private let ready: Int
  private let hosts: [HostStatus]
  private let leaders: [LeaderStatus]
  private let once: [OnceStatus]

  init(name: String, view: FleetView, once: [OnceStatus]) {
    fleet = name
    self.once = once
    let running = once.filter { $0.state == .running }
    hosts = view.sortedHosts.map { HostStatus($0.explained(by: running)) }
    ready = hosts.count { $0.isReady }
    leaders = view.leaders.map { LeaderStatus(name: $0.leadership, host: $0.leader.host, fence: $0.leader.created) }
  }

  /// The same for people.
  var text: String {
    var lines =
      hosts.isEmpty
      ? ["NO HOSTS", "No agent of the fleet \(fleet) is running: start initfleet agent beside each supervisor."]
      : [ready == hosts.count ? "READY" : "NOT READY", "hosts    \(ready) of \(hosts.count) ready"]
    for leader in leaders { lines.append("leader   \(leader.host) leads \(leader.name)") }
    for each in once where each.state != .complete {
      let verb = each.state == .running ? "runs" : "has failed"
      let detail = each.message.map { ": \($0)" } ?? ""
      lines.append("once     \(each.initializer) of release \(each.release) \(verb) on \(each.host)\(detail)")
    }
    let rows = hosts.map { host in
      [
        host.record.host, host.isReady ? "yes" : "no", host.record.lifecycle, host.record.launch.state.rawValue,
        host.record.active.state.rawValue, host.record.release ?? "", host.reason ?? "",
      ]
    }
    if !hosts.isEmpty {
      lines += [""] + Columns.lines([["HOST", "READY", "LIFECYCLE", "LAUNCH", "ACTIVE", "RELEASE", "DETAIL"]] + rows)
    }
    return lines.map { Console.visible($0) + "\n" }.joined()
  }
}

/// A host in the status of a fleet: its record, and whether it is ready.
struct HostStatus: Encodable {
  let record: HostRecord
  let isReady: Bool
  /// Why the host isn't ready.
  let reason: String?

  init(_ record: HostRecord) {
    self.record = record
    switch record.progress(to: .ready) {
    case .ready: (isReady, reason) = (true, nil)
    case .failed(let reason), .waiting(let reason): (isReady, self.reason) = (false, reason)
    }
  }

  private enum CodingKeys: CodingKey { case ready, reason }

  func encode(to encoder: any Encoder) throws {
    try record.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isReady, forKey: .ready)
    try container.encodeIfPresent(reason, forKey: .reason)
  }
}

/// A leader in the status of a fleet.
struct LeaderStatus: Encodable {
  /// The name of the leadership.
  let name: String
  let host: String
  /// Larger for each later leader.
  let fence: Int
}
