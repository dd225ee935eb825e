internal import CommandLineOptions
internal import EventLoop
internal import Fleet
internal import InitText

/// `wait`: waits until enough hosts have reached a state.
struct FleetWaitCommand: FleetCommand {
  static let help = CommandHelp(
    "wait", "Wait until all hosts, or enough of them, are ready.",
    discussion: """
      --all means every host whose agent is running, and at least one. If you know the number of hosts, also give --count: some may not have
      started yet. The default is --all.

      The wait fails as soon as enough hosts have joined and too many of them have failed. It continues while etcd doesn't answer.

      Examples:
        initfleet wait ready --all --count 3 --timeout 5m
        initfleet wait launch --percent 80
      """)

  private(set) var fleet = FleetOptions()
  private var target: FleetTarget?
  private var all = false
  private var count: Int?
  private var percent: Int?
  private var timeout: Duration?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument(
      "state", &target, .word("state"),
      help: "The state to wait for: ready, launch, active or composite, as in initctl wait. Default: ready.")
    try options.flag("all", &all, help: "Wait for all hosts.")
    try options.option("count", &count, .count("n"), help: "Wait for at least n hosts.")
    try options.option("percent", &percent, .count("p"), help: "Wait for at least p percent of the hosts.")
    try options.option(
      "timeout", &timeout, .duration, help: "Give up with status 124 after this time. Default: never.")
    try fleet.visit(&options)
  }

  func validate() throws(UsageError) {
    if let percent, percent > 100 { throw UsageError("invalid --percent \(percent); write 1 to 100") }
  }

  private var goal: FleetGoal {
    FleetGoal(target ?? .ready, all: all || (count == nil && percent == nil), count: count, percent: percent)
  }

  func run(in fleet: FleetConnection) async throws -> ProgramStatus {
    let goal = goal
    let follower = FleetFollower(fleet)
    let verdict = try await TimeLimit.race(timeout, on: fleet.loop) {
      try await follower.follow { view, _ in
        let verdict = goal.verdict(view.hosts.values)
        return verdict == .waiting ? nil : verdict
      }
    }
    guard verdict != .reached else { return .success }
    explain(goal, follower, isLate: verdict == nil)
    return verdict == nil ? .timedOut : .failure
  }

  /// Prints why the goal isn't reached.
  @ProgramLoop private func explain(_ goal: FleetGoal, _ follower: FleetFollower, isLate: Bool) {
    let after = isLate ? "timed out after \((timeout ?? .zero).words) waiting for" : "cannot reach"
    let target = goal.target.rawValue
    if let trouble = follower.trouble { return FleetConsole.complain("\(after) \(target): \(trouble)") }
    guard let view = follower.view else { return FleetConsole.complain("\(after) \(target): etcd hasn't answered") }
    let hosts = view.sortedHosts
    let ready = hosts.count { $0.progress(to: goal.target) == .ready }
    guard !hosts.isEmpty else {
      return FleetConsole.complain(
        "\(after) \(target): no agent of this fleet is running; start initfleet agent beside each supervisor")
    }
    let needed = goal.needed(of: hosts.count)
    let missing = needed > hosts.count ? ", and only \(hosts.count) \(hosts.count == 1 ? "has" : "have") joined" : ""
    FleetConsole.complain(
      "\(after) \(target): \(ready) of the \(needed) needed \(needed == 1 ? "host" : "hosts") \(ready == 1 ? "is" : "are")\(missing)"
    )
    for host in hosts {
      switch host.progress(to: goal.target) {
      case .ready: continue
      case .failed(let reason), .waiting(let reason): FleetConsole.explain("  \(host.host): \(reason)")
      }
    }
  }
}
