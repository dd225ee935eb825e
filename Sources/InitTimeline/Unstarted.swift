package import InitModel
package import InitWords

/// An initializer that belongs to a pass and hasn't started in it.
package struct Unstarted: Sendable, Equatable {
  package let name: String
  /// The phase of the pass, if launch and the active pass are shown together.
  package let phase: Phase?
  /// The dependencies that also belong to the pass.
  package let dependencies: [String]
  /// The time at which all dependencies had completed, in seconds since the Unix epoch; `nil` if one hasn't.
  package let ready: Double?
  package let status: Word<InitializerStatus>
  /// Whether the initializer had completed before the pass, so the pass didn't run it.
  package let isDone: Bool

  /// Describes an initializer that hasn't started.
  package init(
    name: String, phase: Phase?, dependencies: [String], ready: Double?, status: Word<InitializerStatus>, isDone: Bool
  ) {
    self.name = name
    self.phase = phase
    self.dependencies = dependencies
    self.ready = ready
    self.status = status
    self.isDone = isDone
  }

  /// Returns all unstarted initializers of a pass, in the order of registration.
  ///
  /// `others` are the courses of the initializers that started. `phase` is the phase of the pass, if launch and the active pass are shown
  /// together. `opened` says when the pass could begin.
  package static func all(
    of pass: Pass, _ others: [InitializerTimeline], shownIn phase: Phase? = nil, opened: Double,
    in status: Status
  ) -> [Unstarted] {
    guard let own = pass.phase.known else { return [] }
    let started = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
    let known = Dictionary(status.initializers.map { ($0.name, $0) }) { first, _ in first }
    let members = Set(status.members(of: own).map { status.initializers[$0].name })
    return status.initializers.filter { members.contains($0.name) && started[$0.name] == nil }.map { each in
      let dependencies = each.dependencies.filter(members.contains)
      let ends = dependencies.map { name -> Double? in
        guard let other = started[name] else { return known[name]?.isSatisfied == true ? opened : nil }
        return other.outcome == .complete ? other.ended : nil
      }
      let isUndeclared = each.dependencies.contains { known[$0] == nil }
      let isReady = pass.opened != nil && !isUndeclared && !ends.contains(nil)
      return Unstarted(
        name: each.name, phase: phase, dependencies: dependencies,
        ready: isReady ? ends.reduce(opened) { max($0, $1 ?? $0) } : nil, status: each.status,
        isDone: each.isSatisfied && (each.pass ?? 0) <= pass.pass)
    }
  }
}
