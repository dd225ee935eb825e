internal import ArgumentParser
internal import Etcd
internal import Fleet

/// `watch`: prints every change of the fleet.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show each host and leader, then every change, until interrupted.",
    discussion: """
      With --json, the lines are {"topic":"host",…} with the members of a host in initfleet status --json; {"topic":"left","host":NAME} when
      the host's agent or lease has ended; and {"topic":"leader","name":NAME,"host":NAME}, without "host" if there is no leader.

      Examples:
        initfleet watch
        initfleet watch --json | jq 'select(.topic == "host" and .ready) | .host'
      """)

  @Flag(help: "Print each change as JSON, on one line.") var json = false
  @OptionGroup(title: "The fleet") var options: FleetOptions

  @FleetActor func run() async throws {
    let printer = ChangePrinter(isJSON: json)
    try await FleetFollower(try options.connect()).follow { _, changes -> Void? in
      for change in changes { try printer.print(change) }
      return nil
    }
  }
}

/// Prints changes, unless nothing in the line has changed.
@FleetActor private final class ChangePrinter {
  private let isJSON: Bool
  /// The last line about each host.
  private var last: [String: String] = [:]

  init(isJSON: Bool) { self.isJSON = isJSON }

  func print(_ change: FleetView.Change) throws {
    if isJSON { return try Console.write(try JSONLine.text(ChangeLine(change))) }
    let line = Self.line(change)
    switch change {
    case .host(let record):
      guard last.updateValue(line, forKey: record.host) != line else { return }
    case .left(let host): last[host] = nil
    case .leader: break
    }
    try Console.write(Console.visible("\(WallTime.text(WallTime.now))  \(line)") + "\n")
  }

  private static func line(_ change: FleetView.Change) -> String {
    switch change {
    case .host(let record):
      switch record.progress(to: .ready) {
      case .ready: "\(record.host) is ready"
      case .failed(let reason), .waiting(let reason): "\(record.host) isn't ready: \(reason)"
      }
    case .left(let host): "\(host) has left: \(FleetView.reasonOfLeaving)"
    case .leader(let name, let host?): "\(host) leads \(name)"
    case .leader(let name, nil): "\(name) has no leader"
    }
  }
}

/// A change as JSON.
private struct ChangeLine: Encodable {
  private let change: FleetView.Change

  init(_ change: FleetView.Change) { self.change = change }

  private enum CodingKeys: CodingKey { case topic, name, host }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch change {
    case .host(let record):
      try container.encode("host", forKey: .topic)
      try HostStatus(record).encode(to: encoder)
    case .left(let host):
      try container.encode("left", forKey: .topic)
      try container.encode(host, forKey: .host)
    case .leader(let name, let host):
      try container.encode("leader", forKey: .topic)
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(host, forKey: .host)
    }
  }
}
