package import InitModel
package import InitWords

/// Explains the duration of a pass: from the initializer that ended last, back through the last wait of each, to the opening.
package struct CriticalPath: Sendable, Equatable {
  /// How much longer an initializer could have taken without lengthening the pass.
  package struct Slack: Sendable, Equatable {
    /// The initializer.
    package let name: String
    /// The phase of its pass, if launch and the active pass are shown together.
    package let phase: Phase?
    /// In seconds.
    package let slack: Double
  }

  /// The path, in the order of time.
  package let steps: [CriticalStep]
  /// The slack of all that started and aren't on the path, the least first.
  package let slack: [Slack]
  /// The time in which initializers of the path were ready and waited for a place, in seconds.
  package let waitedForPlace: Double

  /// Computes the critical path of a pass.
  package init(_ timeline: Timeline) {
    let graph = ExecutedGraph(timeline)
    var steps: [CriticalStep] = []
    var next = graph.last
    // Goes from the last to the first step: their waits may overlap.
    var waited = 0.0
    var since = Double.infinity
    while let index = next {
      let reason = graph.reason(of: index)
      if reason.link == .place {
        let ready = graph.ready(index)
        waited += max(0, min(graph.nodes[index].started, since) - ready)
        since = min(since, ready)
      }
      steps.append(
        CriticalStep(graph.nodes[index], reason, since: reason.previous.map { graph.nodes[$0].ended } ?? graph.opened))
      next = reason.previous
    }
    self.steps = steps.reversed()
    waitedForPlace = waited
    let onPath = Set(steps.map { InitializerKey($0.name, $0.phase) })
    slack = graph.slacks().filter { !onPath.contains(InitializerKey($0.name, $0.phase)) }
  }
}

/// An initializer in a pass; in passes of both phases that are shown together, it may be twice.
package struct InitializerKey: Hashable {
  package let name: String
  package let phase: Phase?

  package init(_ name: String, _ phase: Phase?) {
    self.name = name
    self.phase = phase
  }
}

extension CriticalStep {
  fileprivate init(_ node: ExecutedNode, _ reason: ExecutedGraph.Reason, since: Double) {
    self.init(
      name: node.name, phase: node.phase, link: reason.link, from: reason.from, queued: max(0, node.started - since),
      running: node.running, backoff: node.backoff)
  }
}

extension ExecutedGraph {
  /// The reason for a node's last wait.
  fileprivate struct Reason {
    var link: CriticalStep.Link
    var from: String?
    /// The node where the path continues; `nil` at the opening.
    var previous: Int?
  }

  fileprivate func reason(of index: Int) -> Reason {
    let node = nodes[index]
    let dependency = lastDependency(of: index)
    let before = dependency ?? endOfLaunch(before: index)
    var moment = before.map { nodes[$0].ended } ?? opened
    let link: CriticalStep.Link = dependency != nil ? .dependency : before != nil ? .launch : .opening
    var reason = Reason(link: link, from: before.map { nodes[$0].name }, previous: before)
    if let provided = node.start?.provided, provided > moment + Self.tolerance {
      // Events before the registration don't matter, except when the initializer's own earlier node ended.
      let own = earlierNode(of: index).flatMap { nodes[$0].ended > moment ? $0 : nil }
      let previous = own ?? before
      moment = provided
      reason = Reason(link: .worker, from: node.name, previous: previous)
    }
    if let freed = freed(before: index), let time = node.start?.freed, time > moment + Self.tolerance {
      reason.link = .place
      reason.from = node.start?.freedBy
      if case .node(let other) = freed { reason.previous = other }
    }
    return reason
  }

  /// When a node had everything but a place.
  fileprivate func ready(_ index: Int) -> Double {
    let start = nodes[index].start
    return max(opened, start?.ready ?? opened, start?.provided ?? opened)
  }

  /// Returns the slack of each initializer that started, the least first; of several nodes, the least.
  fileprivate func slacks() -> [CriticalPath.Slack] {
    var slack = nodes.map { max(0, now - $0.ended) }
    let successors = successorsInPlace()
    let groups = successorsInGroup()
    func bound(_ earlier: Int, by later: Int) {
      slack[earlier] = min(slack[earlier], slack[later] + max(0, nodes[later].started - nodes[earlier].ended))
    }
    // The latest moment at which launch could have ended.
    var latest = Double.infinity
    // The slack of a node is known when the slack of all later nodes is.
    for index in nodes.indices.reversed() {
      if nodes[index].phase == .launch { slack[index] = min(slack[index], max(0, latest - nodes[index].ended)) }
      if nodes[index].phase == .active { latest = min(latest, nodes[index].started + slack[index]) }
      if let later = successors[index] { bound(index, by: later) }
      if let later = groups[index] { bound(index, by: later) }
      for earlier in dependencies(of: index) { bound(earlier, by: index) }
    }
    var least: [InitializerKey: Double] = [:]
    for (node, slack) in zip(nodes, slack) where node.start != nil {
      let key = InitializerKey(node.name, node.phase)
      least[key] = min(least[key] ?? slack, slack)
    }
    let all = least.map { CriticalPath.Slack(name: $0.key.name, phase: $0.key.phase, slack: $0.value) }
    // Equal durations are sorted by name, even if a rounding error makes a difference.
    func order(_ each: CriticalPath.Slack) -> (Double, String, Int) {
      ((each.slack * 1e6).rounded(), each.name, each.phase == .active ? 1 : 0)
    }
    return all.sorted { order($0) < order($1) }
  }
}
