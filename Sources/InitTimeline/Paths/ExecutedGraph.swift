internal import InitCore
internal import InitWire
internal import InitWords

/// A pass as executed: its stints, and what each of them waited for.
///
/// An index is a stint's place in the order of starts.
///
/// Invariant: a stint waits only for earlier ones, so a walk back along the indexes ends.
struct ExecutedGraph: Sendable {
  /// The maximum difference between two recorded times of one moment: times are written to the microsecond.
  static let tolerance = 5e-6

  /// When the pass could begin.
  let opened: Double
  /// When the pass ended, or the present.
  let now: Double
  /// All stints, in the order of their starts.
  ///
  /// The last one may be an initializer that has not started.
  private(set) var stints: [Stint]
  /// The stints of each name.
  private let ofName: [String: [Int]]
  private let concurrency: Int?
  private let groups: [String: Int]
  /// Whether it has the stints of launch and of an active pass.
  private let isJoint: Bool

  /// Creates the graph of a timeline.
  init(_ timeline: Timeline) {
    opened = timeline.opened
    now = timeline.now
    concurrency = timeline.pass.concurrency
    groups = timeline.pass.groups?.places ?? [:]
    isJoint = timeline.joint != nil
    stints = timeline.initializers.flatMap(Stint.all).sorted { $0.runs[0].run < $1.runs[0].run }
    if let last = ExecutedGraph.end(of: timeline, stints) {
      switch last {
      case .retry(let index): stints[index].ended = timeline.now
      case .unstarted(let unstarted): stints.append(Stint(unstarted, at: timeline.now))
      }
    }
    ofName = Dictionary(grouping: stints.indices) { [stints] in stints[$0].name }
  }

  /// The cause of the time after the last run.
  private enum End {
    /// A pause, which the end of the pass cut short.
    case retry(Int)
    /// An initializer that waited for its worker, or has waited for it so far.
    case unstarted(Unstarted)
  }

  private static func end(of timeline: Timeline, _ stints: [Stint]) -> End? {
    let last = stints.reduce(timeline.opened) { max($0, $1.ended) }
    guard !stints.contains(where: \.isOngoing), timeline.now - last > 0.001 else { return nil }
    let blamed = timeline.pass.error?.initializer
    if let retrying = stints.lastIndex(where: { $0.runs.last?.leavesAttempts == true && $0.name != blamed }) {
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

  /// The stint at which the critical path ends: the last to end; in a pass in flight, the first to start of those that haven't ended.
  var last: Int? {
    if let ongoing = stints.firstIndex(where: \.isOngoing) { return ongoing }
    return stints.indices.max { (stints[$0].ended, $0) < (stints[$1].ended, $1) }
  }

  /// Returns the stint of the same initializer before it.
  func earlierStint(of index: Int) -> Int? { ofName[stints[index].name]?.last { $0 < index } }

  /// Returns the dependencies of a stint that completed before it.
  func dependencies(of index: Int) -> [Int] {
    stints[index].waitedFor.compactMap { name in
      ofName[name]?.last { $0 < index && stints[$0].ended <= stints[index].started + Self.tolerance }
    }
  }

  /// Returns its last dependency to complete.
  func lastDependency(of index: Int) -> Int? {
    dependencies(of: index).max { (stints[$0].ended, $0) < (stints[$1].ended, $1) }
  }

  /// The last stint of launch to end, for which the whole active pass waited; `nil` for a stint of launch.
  func endOfLaunch(before index: Int) -> Int? {
    guard isJoint, stints[index].phase == .active else { return nil }
    return stints.indices.filter { stints[$0].phase == .launch && $0 < index }
      .max { (stints[$0].ended, $0) < (stints[$1].ended, $1) }
  }

  /// The end of a run that freed the place that a stint took.
  enum Freed: Equatable {
    /// A stint of this pass.
    case stint(Int)
    /// A run of the other phase's pass, or one that the history has dropped.
    case elsewhere
  }

  /// Returns the last end of a run before a stint started; `nil` if none of this pass's time, or if it freed no place because a retry kept
  /// it.
  func freed(before index: Int) -> Freed? {
    guard let start = stints[index].start, let name = start.freedBy, let freed = start.freed,
      freed > opened + Self.tolerance
    else { return nil }
    let earlier = (ofName[name] ?? []).filter { $0 < index && stints[$0].started <= freed + Self.tolerance }
    guard let stint = earlier.last else { return .elsewhere }
    if abs(stints[stint].ended - freed) <= 2 * Self.tolerance { return .stint(stint) }
    return stints[stint].ended > freed ? nil : .elsewhere
  }

  /// Returns for each stint the later one that needed its place: the first start that left no place free; `nil` if none did.
  func successorsInPlace() -> [Int?] { successors(among: Array(stints.indices), full: startsThatLeaveNoPlace()) }

  /// Returns for each stint the later one that needed its place in its group (S33); `nil` if none did.
  func successorsInGroup() -> [Int?] {
    var successors = [Int?](repeating: nil, count: stints.count)
    for (group, places) in groups {
      let members = stints.indices.filter { stints[$0].start?.group == group }
      let full = starts(among: members, leavingNoneOf: places)
      for (member, successor) in zip(members, self.successors(among: members, full: full)) {
        successors[member] = successor
      }
    }
    return successors
  }

  /// Returns for each of some stints the first one after its end whose start left no place free.
  private func successors(among indices: [Int], full: [Int]) -> [Int?] {
    indices.map { index in
      var low = 0
      var high = full.count
      while low < high {
        let middle = (low + high) / 2
        let isEarlier = stints[full[middle]].started + Self.tolerance < stints[index].ended || full[middle] <= index
        if isEarlier { low = middle + 1 } else { high = middle }
      }
      return low < full.count ? full[low] : nil
    }
  }

  /// Returns the stints whose start left no place free, in their order.
  private func startsThatLeaveNoPlace() -> [Int] {
    guard let concurrency else {
      return stints.indices.filter { if case .stint = freed(before: $0) { true } else { false } }
    }
    return starts(among: Array(stints.indices), leavingNoneOf: concurrency)
  }

  /// Returns which of some stints left none of that many places free when they started.
  private func starts(among indices: [Int], leavingNoneOf places: Int) -> [Int] {
    var occupied = IndexedHeap<Int, Double>()
    return indices.filter { index in
      guard stints[index].start != nil else { return false }
      while let (end, stint) = occupied.first, end <= stints[index].started + Self.tolerance { occupied[stint] = nil }
      occupied[index] = stints[index].ended
      return occupied.count >= places
    }
  }
}
