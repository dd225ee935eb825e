internal import ArgumentParser
internal import Etcd
internal import Fleet

/// `wait`: waits until enough hosts have reached a state.
struct WaitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait",
    abstract: "Wait until all hosts, or enough of them, are ready.",
    discussion: """
      --all means every host whose agent is running, and at least one. If you know the number of hosts, also give --count: some may not have
      started yet. The default is --all.

      While a new release replaces an old one, the old hosts are still ready: with --release, only hosts of the new release count.

      The wait fails as soon as enough hosts have joined and too many of them have failed. While another host
      runs the initializer that has failed, the failed host still counts as waiting: it launches again when the other host has completed that
      initializer. The wait continues while etcd doesn't answer.

      With --release and --count, but without --all, it reports a failed host and continues: other hosts may still launch the release. So
      give a --timeout, or add --all to fail at the first failed host.

      Examples:
        initfleet wait ready --all --count 3 --timeout 5m
        initfleet wait ready --release v8 --count 3 --timeout 5m
        initfleet wait launch --percent 80
      """)

  @Argument(help: "The state to wait for: ready, launch, active or composite, as in initctl wait.")
  var state = FleetTarget.ready
  @Flag(help: "Wait for all hosts.") var all = false
  @Option(help: ArgumentHelp("Wait for at least n hosts.", valueName: "n")) var count: Int?
  @Option(help: ArgumentHelp("Wait for at least p percent of the hosts.", valueName: "p")) var percent: Int?
  @Option(
    help: ArgumentHelp(
      "Count only hosts of this release: that of their initializers with once: fleet.", valueName: "release"))
  var release: String?
  @Option(
    help: ArgumentHelp("Give up with status 124 after this time. Default: never.", valueName: "duration"),
    transform: DurationText.parse)
  var timeout: Duration?
  @OptionGroup(title: "The fleet") var options: FleetOptions

  func validate() throws {
    if let percent, !(1...100 ~= percent) { throw ValidationError("invalid --percent \(percent); write 1 to 100") }
    if let count, count < 1 { throw ValidationError("invalid --count \(count); write 1 or more") }
    if release == "" { throw ValidationError("--release is empty; name the release, or leave the option out") }
  }

  private var goal: FleetGoal {
    FleetGoal(state, all: all || (count == nil && percent == nil), count: count, percent: percent, release: release)
  }

  @FleetActor func run() async throws {
    let (goal, fleet) = (goal, try options.connect())
    let follower = FleetFollower(fleet)
    let notices = FailureNotices(goal)
    let verdict = try await TimeLimit.race(timeout) {
      try await follower.follow { view, _ in
        notices.report(view)
        return try await decide(goal, view, follower)
      }
    }
    if release == nil, let releases = follower.view?.releases, releases.count > 1 {
      let list = releases.sorted { $0.key < $1.key }.map { "\($0.key) on \($0.value.joined(separator: ", "))" }
      Console.complain(
        "the hosts are of different releases: \(list.joined(separator: "; ")); add --release to count one")
    }
    guard verdict != .reached else { return }
    await explain(goal, follower, isLate: verdict == nil)
    throw verdict == nil ? ExitCode.timedOut : ExitCode.failure
  }

  /// Returns the verdict for the hosts; nil if the goal may still be reached.
  @FleetActor private func decide(
    _ goal: FleetGoal, _ view: FleetView, _ follower: FleetFollower
  ) async throws -> FleetGoal.Verdict? {
    var verdict = goal.verdict(view.hosts.values)
    var hosts = view.hosts
    while verdict == .failed {
      do throws(EtcdError) {
        if goal.verdict(hosts.values, once: try await follower.readOnce()) == .failed { return .failed }
        hosts = try await follower.read().hosts
        verdict = goal.verdict(hosts.values)
      } catch {
        guard error.mayPass else { throw error }
      }
      // Another host still runs what has failed. The records of runs aren't followed, so they are read again.
      if verdict == .failed { try await Task.sleep(for: .milliseconds(500)) }
    }
    return verdict == .waiting ? nil : verdict
  }

  /// Prints why the goal isn't reached.
  @FleetActor private func explain(_ goal: FleetGoal, _ follower: FleetFollower, isLate: Bool) async {
    let after = isLate ? "timed out after \((timeout ?? .zero).words) waiting for" : "cannot reach"
    let target = goal.target.rawValue
    if let trouble = follower.trouble { return Console.complain("\(after) \(target): \(trouble)") }
    guard let view = follower.view else { return Console.complain("\(after) \(target): etcd hasn't answered") }
    let hosts = view.sortedHosts
    let ready = hosts.count { goal.progress($0) == .ready }
    guard !hosts.isEmpty else {
      return Console.complain(
        "\(after) \(target): no agent of this fleet is running; start initfleet agent beside each supervisor")
    }
    let needed = goal.needed(of: hosts.count)
    let missing = needed > hosts.count ? ", and only \(hosts.count) \(hosts.count == 1 ? "has" : "have") joined" : ""
    Console.complain(
      "\(after) \(target): \(ready) of the \(needed) needed \(needed == 1 ? "host" : "hosts") \(ready == 1 ? "is" : "are")\(missing)"
    )
    let once = (try? await follower.readOnce()) ?? []
    for host in hosts.map({ $0.explained(by: once) }) {
      switch goal.progress(host) {
      case .ready: continue
      case .failed(let reason), .waiting(let reason): Console.explain("  \(host.host): \(reason)")
      }
    }
  }
}

extension FleetTarget: ExpressibleByArgument {}
