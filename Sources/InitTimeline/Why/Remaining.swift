internal import InitModel
package import InitWords

/// The probable rest of a pass in flight: never less than its longest chain of dependencies, and never less than all its work shared by all
/// places.
package struct Remaining: Sendable, Equatable {
  /// The estimate, in seconds.
  ///
  /// The value is 0 if everything that is left already runs longer than usual.
  package let seconds: Double
  /// Whether the usual duration of every remaining initializer is known.
  ///
  /// Without one, an initializer counts as nothing.
  package let isWhole: Bool
}

extension Situation {
  /// Returns how much longer a pass in flight probably takes, by the usual durations of its initializers; nil without earlier complete
  /// passes, and if no pass of the phase is in flight.
  package func remaining(of phase: Phase) -> Remaining? {
    guard usual(phase) != nil, isInFlight(phase) else { return nil }
    var chain = 0.0
    var work = 0.0
    var isWhole = true
    var ends: [Int: Double] = [:]
    for member in members(of: phase) {
      // The end of a chain follows the ends of its dependencies. An initializer of a cycle is met again while it is open, and counts once.
      var open = [(index: member, isEntered: false)]
      while let next = open.popLast() {
        let each = status.initializers[next.index]
        guard !each.isOver else { continue }
        let dependencies = each.dependencies.compactMap(index)
        if !next.isEntered {
          guard ends[next.index] == nil else { continue }
          ends[next.index] = 0
          open.append((next.index, true))
          for dependency in dependencies where ends[dependency] == nil { open.append((dependency, false)) }
          continue
        }
        let own = ownRemaining(each)
        if own == nil { isWhole = false }
        let end = (own?.running ?? 0) + max(own?.pause ?? 0, dependencies.reduce(0) { max($0, ends[$1] ?? 0) })
        ends[next.index] = end
        chain = max(chain, end)
        if each.takesSlot { work += own?.running ?? 0 }
      }
    }
    return Remaining(seconds: max(chain, work / Double(max(1, status.concurrency))), isWhole: isWhole)
  }

  /// Returns the remaining time of one initializer, and of the pause before its next attempt; nil if its usual duration isn't known.
  private func ownRemaining(_ each: Initializer) -> (running: Double, pause: Double)? {
    guard let usual = usual(each) else { return nil }
    if each.isInFlight, let started = each.started { return (max(0, usual - max(0, now - started)), 0) }
    return (usual, each.isBetweenAttempts ? max(0, (each.nextAttempt ?? now) - now) : 0)
  }
}

extension Initializer {
  /// Whether the pass doesn't wait for the initializer any more.
  fileprivate var isOver: Bool {
    switch status {
    case .known(.complete), .known(.failed), .known(.cancelled), .known(.notRun), .known(.skipped): true
    case .known(.idle), .known(.waiting), .known(.running), .known(.stopping), .unknown: false
    }
  }
}
