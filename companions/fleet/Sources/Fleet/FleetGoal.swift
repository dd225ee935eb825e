/// The number of hosts that must reach a target.
///
/// If there are several conditions, all must hold.
package struct FleetGoal: Sendable, Hashable {
  /// The state that each host must reach.
  package var target: FleetTarget
  /// Whether all hosts must reach the goal, and at least one host.
  package var all: Bool
  /// The minimum number of hosts.
  package var count: Int?
  /// The minimum percentage of the hosts.
  package var percent: Int?
  /// The release that counts; nil for any.
  package var release: String?

  package init(
    _ target: FleetTarget, all: Bool = false, count: Int? = nil, percent: Int? = nil, release: String? = nil
  ) {
    self.target = target
    self.release = release
    self.all = all
    self.count = count
    self.percent = percent
  }

  /// The progress of a fleet towards a goal.
  package enum Verdict: Sendable, Hashable {
    /// The goal is reached.
    case reached
    /// The goal can't be reached, because these hosts have failed.
    case failed
    /// The goal may still be reached.
    case waiting
  }

  /// Whether no failure of a host is final: the goal is a number of hosts of a release, and any further host may get that release.
  package var isOpen: Bool { release != nil && !all && percent == nil }

  /// Returns how many of `total` hosts must reach the target.
  package func needed(of total: Int) -> Int {
    max(1, all ? total : 0, count ?? 0, percent.map { ($0 * total + 99) / 100 } ?? 0)
  }

  /// Returns a host's progress towards the target.
  package func progress(_ host: HostRecord) -> HostProgress { host.progress(to: target, release: release) }

  /// Returns the verdict for these hosts.
  ///
  /// Decides whether the goal is reached or has failed: it fails only when enough hosts have joined and too many of them have failed, and
  /// never while it is open. A host hasn't failed while another one runs, or has completed, the initializer that it failed with; `once` says
  /// which ones do.
  package func verdict(_ hosts: some Collection<HostRecord>, once: [OnceStatus] = []) -> Verdict {
    let ready = hosts.count { progress($0) == .ready }
    let failed = hosts.count { host in
      if case .failed = progress(host) { !host.retriesLaunch(after: once) } else { false }
    }
    let needed = needed(of: hosts.count)
    if ready >= needed { return .reached }
    return !isOpen && failed > 0 && hosts.count >= needed && hosts.count - failed < needed ? .failed : .waiting
  }
}
