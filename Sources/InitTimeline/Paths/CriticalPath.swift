internal import InitWire

/// Why a pass took as long as it did: from the last initializer to end, back to what each waited for last, to the opening.
package struct CriticalPath: Sendable, Equatable {
  /// The last thing that an initializer waited for.
  package enum Link: String, Sendable {
    /// The last dependency completed.
    case dependency
    /// A run ended and freed its place (S6).
    case place
    /// The worker registered it (S20).
    case worker
    /// The pass opened.
    case opening
  }

  /// One initializer of the path, and its share of the pass's duration.
  ///
  /// A step's share begins where the step before it ends, so all shares add up to the duration. For a late worker the share includes the
  /// wait for the worker, as queued.
  package struct Step: Sendable, Equatable {
    /// The initializer.
    package let name: String
    /// The last thing that the initializer waited for.
    package let link: Link
    /// The initializer whose end, or whose worker's registration, it waited for; `nil` at the opening.
    package let from: String?
    /// Until its first attempt started.
    package let queued: Double
    /// All its attempts together.
    package let running: Double
    /// All pauses between its attempts together.
    package let backoff: Double

    /// The share of the pass's duration, in seconds.
    package var share: Double { queued + running + backoff }
  }

  /// How much longer an initializer could have taken without lengthening the pass.
  package struct Slack: Sendable, Equatable {
    /// The initializer.
    package let name: String
    /// In seconds.
    package let slack: Double
  }

  /// The path, in the order of time.
  package let steps: [Step]
  /// The slack of all that started and aren't on the path, the least first.
  package let slack: [Slack]

  /// Computes the critical path of a pass.
  package init(_ timeline: Timeline) {
    let graph = ExecutedGraph(timeline)
    var steps: [Step] = []
    var next = graph.last
    while let index = next {
      let reason = graph.reason(of: index)
      steps.append(
        Step(graph.stints[index], reason, since: reason.previous.map { graph.stints[$0].ended } ?? graph.opened))
      next = reason.previous
    }
    self.steps = steps.reversed()
    let onPath = Set(steps.map(\.name))
    slack = graph.slacks().filter { !onPath.contains($0.name) }
  }
}

extension CriticalPath.Step {
  fileprivate init(_ stint: Stint, _ reason: ExecutedGraph.Reason, since: Double) {
    self.init(
      name: stint.name, link: reason.link, from: reason.from, queued: max(0, stint.started - since),
      running: stint.running, backoff: stint.backoff)
  }
}

extension ExecutedGraph {
  /// The last thing that a stint waited for.
  fileprivate struct Reason {
    var link: CriticalPath.Link
    var from: String?
    /// The stint where the path continues; `nil` at the opening.
    var previous: Int?
  }

  fileprivate func reason(of index: Int) -> Reason {
    let stint = stints[index]
    let dependency = lastDependency(of: index)
    var moment = dependency.map { stints[$0].ended } ?? opened
    var reason = Reason(link: dependency == nil ? .opening : .dependency, from: dependency.map { stints[$0].name })
    reason.previous = dependency
    if let provided = stint.start?.provided, provided > moment + Self.tolerance {
      // Events before the registration don't matter, except the end of the initializer's own earlier stint.
      let own = earlierStint(of: index).flatMap { stints[$0].ended > moment ? $0 : nil }
      let previous = own ?? dependency
      (moment, reason) = (provided, Reason(link: .worker, from: stint.name, previous: previous))
    }
    if let freed = freed(before: index), let time = stint.start?.freed, time > moment + Self.tolerance {
      reason.link = .place
      reason.from = stint.start?.freedBy
      if case .stint(let other) = freed { reason.previous = other }
    }
    return reason
  }

  /// Returns the slack of each initializer that started, the least first; of several stints, the least.
  fileprivate func slacks() -> [CriticalPath.Slack] {
    var slack = stints.map { max(0, now - $0.ended) }
    let places = successorsInPlace()
    func bound(_ earlier: Int, by later: Int) {
      slack[earlier] = min(slack[earlier], slack[later] + max(0, stints[later].started - stints[earlier].ended))
    }
    // A stint's own slack is known when all later ones are.
    for index in stints.indices.reversed() {
      if let later = places[index] { bound(index, by: later) }
      for earlier in dependencies(of: index) { bound(earlier, by: index) }
    }
    var least: [String: Double] = [:]
    for (stint, slack) in zip(stints, slack) where stint.start != nil {
      least[stint.name] = min(least[stint.name] ?? slack, slack)
    }
    let all = least.map { CriticalPath.Slack(name: $0.key, slack: $0.value) }
    // Equal ones by name, even if a rounding error makes a difference.
    return all.sorted { (($0.slack * 1e6).rounded(), $0.name) < (($1.slack * 1e6).rounded(), $1.name) }
  }
}
