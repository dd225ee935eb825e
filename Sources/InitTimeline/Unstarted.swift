internal import InitWire

/// An initializer that belongs to a pass and hasn't started in it.
struct Unstarted: Sendable, Equatable {
  /// Its name.
  let name: String
  /// Its dependencies that belong to the pass too.
  let dependencies: [String]
  /// When all of them had completed, in seconds since the Unix epoch; `nil` if it waits for one.
  let ready: Double?
  /// Its status.
  let status: Word<InitializerStatus>

  /// All of a pass, in the order of registration.
  ///
  /// - Parameters:
  ///   - others: what those that started did.
  ///   - opened: when the pass could begin.
  static func all(of pass: PassShape, _ others: [InitializerTimeline], opened: Double, in status: StatusShape)
    -> [Unstarted]
  {
    guard let phase = pass.phase.known else { return [] }
    let started = Dictionary(others.map { ($0.name, $0) }) { first, _ in first }
    let known = Dictionary(status.initializers.map { ($0.name, $0) }) { first, _ in first }
    let members = members(of: phase, known, in: status)
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

  /// The names that a pass of a phase executes: the phase's own and their dependencies, but no launch initializers in the active phase (S4).
  private static func members(
    of phase: Phase, _ known: [String: InitializerShape], in status: StatusShape
  ) -> Set<String> {
    var open = status.initializers.filter { $0.priority == phase.priority }.map(\.name)
    var members = Set(open)
    while let name = open.popLast() {
      for dependency in known[name]?.dependencies ?? [] where !members.contains(dependency) {
        guard let each = known[dependency], phase == .launch || each.priority == phase.priority else { continue }
        members.insert(dependency)
        open.append(dependency)
      }
    }
    return members
  }
}
