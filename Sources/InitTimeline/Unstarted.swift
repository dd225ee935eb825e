internal import InitWire
internal import InitWords

/// An initializer that belongs to a pass and hasn't started in it.
struct Unstarted: Sendable, Equatable {
  /// The name.
  let name: String
  /// The dependencies that belong to the pass too.
  let dependencies: [String]
  /// When all of them had completed, in seconds since the Unix epoch; `nil` if it waits for one.
  let ready: Double?
  /// The status.
  let status: Word<InitializerStatus>

  /// Returns all unstarted initializers of a pass, in the order of registration.
  ///
  /// `others` says what those that started did. `opened` says when the pass could begin.
  static func all(of pass: PassShape, _ others: [InitializerTimeline], opened: Double, in status: StatusShape)
    -> [Unstarted]
  {
    guard let phase = pass.phase.known else { return [] }
    let started = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
    let known = Dictionary(status.initializers.map { ($0.name, $0) }) { first, _ in first }
    let members = Set(status.members(of: phase).map { status.initializers[$0].name })
    return status.initializers.filter { members.contains($0.name) && started[$0.name] == nil }.map { each in
      let dependencies = each.dependencies.filter(members.contains)
      let ends = dependencies.map { name -> Double? in
        guard let other = started[name] else { return known[name]?.status.known == .complete ? opened : nil }
        return other.outcome == .complete ? other.ended : nil
      }
      let isUndeclared = each.dependencies.contains { known[$0] == nil }
      let isReady = pass.opened != nil && !isUndeclared && !ends.contains(nil)
      return Unstarted(
        name: each.name, dependencies: dependencies,
        ready: isReady ? ends.reduce(opened) { max($0, $1 ?? $0) } : nil, status: each.status)
    }
  }
}
