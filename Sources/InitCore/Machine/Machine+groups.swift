internal import InitWords

/// Groups: of each, only so many initializers run at once (S33).
extension Machine {
  /// Returns the next item that is ready and whose group has a place; `nil` if none may start.
  ///
  /// Items whose groups are full are held until their group has a place.
  mutating func nextToStart(_ phase: Phase) -> PlanIndex? {
    let concurrency = configuration.concurrency
    while let index = inPass(phase, { $0.occupied < concurrency ? $0.nextReady() : nil }) ?? nil {
      guard let group = inPass(phase, { $0.plan.items[index].declaration?.group }) ?? nil,
        freePlaces(in: group, phase) <= 0
      else { return index }
      inPass(phase) { $0.hold(index, in: group) }
    }
    return nil
  }

  /// Gives the held items of each group their turn again for which the group has places now.
  ///
  /// - Returns: whether there were any.
  @discardableResult
  mutating func releaseHeld(_ phase: Phase) -> Bool {
    guard inPass(phase, { $0.held.isEmpty }) == false else { return false }
    var releases = false
    for group in (inPass(phase) { $0.held.keys.sorted() }) ?? [] {
      let free = freePlaces(in: group, phase)
      if free > 0 {
        inPass(phase) { $0.release(free, of: group) }
        releases = true
      }
    }
    return releases
  }

  /// Returns how many more of a group may start: runs have their places until they have stopped (S13), and delays keep them (S16).
  private mutating func freePlaces(in group: String, _ phase: Phase) -> Int {
    guard let places = groups[group] else { return .max }
    let delayed = (inPass(phase) { $0.delayed }) ?? []
    let keeping = delayed.count { name in
      let initializer = registry.index(of: name)
      return (inPass(phase) { $0.declaration(of: name, initializer)?.group } ?? nil) == group
    }
    return places - runs.values.count { $0.group == group } - keeping
  }
}
