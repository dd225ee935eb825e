internal import InitWords

/// What launch still has to decide above an initializer or a process (S30).
extension Machine {
  /// Whether launch has decided everything above some names that may be fresh.
  public enum Decision: Hashable, Sendable {
    /// Nothing is open: all of it is fresh, or has completed.
    case made
    /// Some of it is about to be checked or run, or a run of it hasn't ended.
    case open
    /// Some of it has failed, or didn't run, and no pass is about to run it.
    case failed
  }

  /// Returns whether launch has decided everything among these names and above them that may be fresh.
  ///
  /// Something that has completed before isn't complete for a process until then (S32).
  public func decision(on names: [String]) -> Decision {
    let dueAgain = launch.due.contains { registry[$0]?.declaration.freshness != nil }
    var undecided = UndecidedAncestors(registry, due: dueAgain ? launch.due : [])
    let open = undecided?.among(names) ?? []
    guard !open.isEmpty else { return .made }
    let isComing = open.contains { index in
      let name = registry.name(at: index)
      if launch.due.contains(name) || launch.next != nil || registry[index].inFlight != nil { return true }
      guard let pass = launch.pass else { return launch.state == .pending }
      return pass.stage == .running && !pass.isThrough(with: name, index)
    }
    return isComing ? .open : .failed
  }
}
