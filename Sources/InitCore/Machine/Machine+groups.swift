internal import InitWords

/// Groups: of each, only so many initializers run at once (S33).
extension Machine {
  /// Returns the next item that is ready and whose group has a place; `nil` if none may start.
  ///
  /// Items whose groups are full are held until their group has a place.
  mutating func nextToStart(_ phase: Phase) -> PlanIndex? {
    let hasSlot = occupiedSlots(phase) < configuration.concurrency
    while let index = inPass(phase, { $0.nextReady(hasSlot: hasSlot) }) ?? nil {
      guard !groups.isEmpty, let group = inPass(phase, { $0.plan.items[index].declaration?.group }) ?? nil,
        freePlaces(in: group, phase) <= 0
      else { return index }
      inPass(phase) { $0.hold(index, in: group) }
    }
    return nil
  }

  /// Returns the number of occupied slots: by runs until they have stopped (S13), by delays (S16), and by initializers whose condition is
  /// checked (S29); without those that only wait (S6).
  private mutating func occupiedSlots(_ phase: Phase) -> Int {
    let (runs, delayed) =
      inPass(phase) { pass in
        (pass.inFlight - pass.waiting + pass.asked.values.count { pass.plan.items[$0].takesSlot }, pass.delayed)
      } ?? (0, [])
    return runs + delayed.count { registry[$0]?.kind.takesSlot ?? true }
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
