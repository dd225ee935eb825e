internal import HeapModule
internal import InitModel
internal import InitWords

/// A pass as executed: its nodes, and what each node waited for.
///
/// The index of a node is its position in the order of starts.
///
/// Invariant: a node waits only for earlier nodes, so a walk back along the indexes ends.
package struct ExecutedGraph: Sendable {
  /// The maximum difference between two recorded times of one moment: times are written to the microsecond.
  package static let tolerance = 5e-6

  /// When the pass could begin.
  package let opened: Double
  /// When the pass ended, or the present.
  package let now: Double
  /// All nodes, in the order of their starts.
  ///
  /// The last one may be an initializer that has not started.
  package private(set) var nodes: [ExecutedNode]
  /// The nodes of each name.
  private let ofName: [String: [Int]]
  private let concurrency: Int?
  private let groups: [String: Int]
  /// Whether the graph has the nodes of launch and of an active pass.
  private let isJoint: Bool

  /// Creates the graph of a timeline.
  package init(_ timeline: Timeline) {
    opened = timeline.opened
    now = timeline.now
    concurrency = timeline.pass.concurrency
    groups = timeline.pass.groups?.places ?? [:]
    isJoint = timeline.joint != nil
    nodes = timeline.initializers.flatMap(ExecutedNode.all).sorted { $0.runs[0].run < $1.runs[0].run }
    if let last = ExecutedGraph.end(of: timeline, nodes) {
      switch last {
      case .retry(let index): nodes[index].ended = timeline.now
      case .unstarted(let unstarted): nodes.append(ExecutedNode(unstarted, at: timeline.now))
      }
    }
    ofName = Dictionary(grouping: nodes.indices) { [nodes] in nodes[$0].name }
  }

  /// The cause of the time after the last run.
  private enum End {
    /// A pause, which the end of the pass cut short.
    case retry(Int)
    /// An initializer that waited for its worker, or has waited for it so far.
    case unstarted(Unstarted)
  }

  private static func end(of timeline: Timeline, _ nodes: [ExecutedNode]) -> End? {
    let last = nodes.reduce(timeline.opened) { max($0, $1.ended) }
    guard !nodes.contains(where: \.isOngoing), timeline.now - last > 0.001 else { return nil }
    let blamed = timeline.pass.error?.initializer
    if let retrying = nodes.lastIndex(where: { $0.runs.last?.leavesAttempts == true && $0.name != blamed }) {
      return .retry(retrying)
    }
    if let blamed, let named = timeline.unstarted.first(where: { $0.name == blamed }) { return .unstarted(named) }
    let waiting = timeline.unstarted.first { each in
      switch timeline.outcome {
      case .running: each.ready != nil && each.status == .waiting
      case .failed, .cancelled: each.ready != nil && each.status != .complete
      default: false
      }
    }
    return waiting.map { .unstarted($0) }
  }

  /// The node at which the critical path ends: the node that ended last; in a pass in flight, the unfinished node that started first.
  package var last: Int? {
    if let ongoing = nodes.firstIndex(where: \.isOngoing) { return ongoing }
    return nodes.indices.max { (nodes[$0].ended, $0) < (nodes[$1].ended, $1) }
  }

  /// Returns the node of the same initializer before it.
  package func earlierNode(of index: Int) -> Int? { ofName[nodes[index].name]?.last { $0 < index } }

  /// Returns the dependencies of a node that completed before it.
  package func dependencies(of index: Int) -> [Int] {
    nodes[index].waitedFor.compactMap { name in
      ofName[name]?.last { $0 < index && nodes[$0].ended <= nodes[index].started + Self.tolerance }
    }
  }

  /// Returns the last dependency of the node to complete.
  package func lastDependency(of index: Int) -> Int? {
    dependencies(of: index).max { (nodes[$0].ended, $0) < (nodes[$1].ended, $1) }
  }

  /// Returns the node of launch that ended last, for which the whole active pass waited; `nil` for a node of launch.
  package func endOfLaunch(before index: Int) -> Int? {
    guard isJoint, nodes[index].phase == .active else { return nil }
    return nodes.indices.filter { nodes[$0].phase == .launch && $0 < index }
      .max { (nodes[$0].ended, $0) < (nodes[$1].ended, $1) }
  }

  /// The end of a run whose place a node took.
  package enum Freed: Equatable {
    /// A node of this pass.
    case node(Int)
    /// A run of the other phase's pass, or a run that the history has dropped.
    case elsewhere
  }

  /// Returns the last end of a run before a node started; `nil` if no run ended in this pass before, or if it freed no place because a
  /// retry kept it.
  package func freed(before index: Int) -> Freed? {
    guard let start = nodes[index].start, let name = start.freedBy, let freed = start.freed,
      freed > opened + Self.tolerance
    else { return nil }
    let earlier = (ofName[name] ?? []).filter { $0 < index && nodes[$0].started <= freed + Self.tolerance }
    guard let node = earlier.last else { return .elsewhere }
    if abs(nodes[node].ended - freed) <= 2 * Self.tolerance { return .node(node) }
    return nodes[node].ended > freed ? nil : .elsewhere
  }

  /// Returns for each node the later node that needed its place: the first start that left no place free; `nil` if there is none.
  ///
  /// A run that only waited has none: it took no place (S6).
  package func successorsInPlace() -> [Int?] {
    var successors = [Int?](repeating: nil, count: nodes.count)
    let members = inPlaces
    for (member, successor) in zip(members, self.successors(among: members, full: startsThatLeaveNoPlace())) {
      successors[member] = successor
    }
    return successors
  }

  /// The nodes whose runs take a place.
  private var inPlaces: [Int] { nodes.indices.filter { nodes[$0].start?.waits != true } }

  /// Returns for each node the later node that needed its place in its group (S33); `nil` if there is none.
  package func successorsInGroup() -> [Int?] {
    var successors = [Int?](repeating: nil, count: nodes.count)
    for (group, places) in groups {
      let members = nodes.indices.filter { nodes[$0].start?.group == group }
      let full = starts(among: members, leavingNoneOf: places)
      for (member, successor) in zip(members, self.successors(among: members, full: full)) {
        successors[member] = successor
      }
    }
    return successors
  }

  /// Returns for each of these nodes the first node after its end whose start left no place free.
  private func successors(among indices: [Int], full: [Int]) -> [Int?] {
    indices.map { index in
      var low = 0
      var high = full.count
      while low < high {
        let middle = (low + high) / 2
        let isEarlier = nodes[full[middle]].started + Self.tolerance < nodes[index].ended || full[middle] <= index
        if isEarlier { low = middle + 1 } else { high = middle }
      }
      return low < full.count ? full[low] : nil
    }
  }

  /// Returns the nodes whose start left no place free, in their order.
  private func startsThatLeaveNoPlace() -> [Int] {
    guard let concurrency else {
      return nodes.indices.filter { if case .node = freed(before: $0) { true } else { false } }
    }
    return starts(among: inPlaces, leavingNoneOf: concurrency)
  }

  /// Returns which of some nodes left none of that many places free when they started.
  private func starts(among indices: [Int], leavingNoneOf places: Int) -> [Int] {
    // When the runs end that occupy a place.
    var ends = Heap<Double>()
    return indices.filter { index in
      guard nodes[index].start != nil else { return false }
      while let end = ends.min, end <= nodes[index].started + Self.tolerance { ends.removeMin() }
      ends.insert(nodes[index].ended)
      return ends.count >= places
    }
  }
}
