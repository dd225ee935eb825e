internal import Etcd
internal import Fleet

/// Reports the failures of hosts that don't end a wait, because other hosts may still reach its goal.
@FleetActor final class FailureNotices {
  private let goal: FleetGoal
  /// The reported reasons, by host.
  private var reported: [String: String] = [:]

  init(_ goal: FleetGoal) { self.goal = goal }

  /// Prints each failure once.
  func report(_ view: FleetView) {
    guard goal.isOpen, goal.verdict(view.hosts.values) == .waiting else { return }
    for host in view.sortedHosts {
      guard case .failed(let reason) = goal.progress(host) else {
        reported[host.host] = nil
        continue
      }
      guard reported.updateValue(reason, forKey: host.host) != reason else { continue }
      Console.complain("\(host.host): \(reason); waiting for other hosts of release \(goal.release ?? "")")
    }
  }
}
