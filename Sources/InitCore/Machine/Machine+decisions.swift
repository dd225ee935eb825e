internal import InitWords

/// What launch still has to decide above an initializer or a process (S30).
extension Machine {
  /// Whether launch has decided everything above some names that may be fresh.
  public enum Decision: Hashable, Sendable {
    /// Nothing is open: all of it is fresh, or has completed.
    case made
    /// Some of it is about to be checked or run, or a run of it hasn't ended.
    case open
    /// This initializer has failed, or didn't run, and no pass is about to run it.
    case failed(by: String)
  }

  /// Returns whether launch has decided everything among these names and above them that may be fresh.
  ///
  /// Something that has completed before isn't complete for a process until then (S32). The search ends at the first open initializer.
  public func decision(on names: [String]) -> Decision {
    var decision = Decision.made
    var open = names.compactMap { registry.index(of: $0) }
    var seen = Set(open)
    while let index = open.popLast() {
      if isUndecided(index) {
        if isAboutToBeDecided(index) { return .open }
        decision = .failed(by: registry.name(at: index))
      } else if !registry[index].isLeftOut {
        for name in registry[index].declaration.dependencies {
          if let dependency = registry.index(of: name), seen.insert(dependency).inserted { open.append(dependency) }
        }
      }
    }
    return decision
  }

  private func isUndecided(_ index: InitializerIndex) -> Bool {
    let isDueAgain = !launch.due.isEmpty && launch.due.contains(registry.name(at: index))
    return UndecidedAncestors.mayBeUndecided(registry[index])
      && (!registry[index].isDone(in: .launch) || isDueAgain)
  }

  private func isAboutToBeDecided(_ index: InitializerIndex) -> Bool {
    let name = registry.name(at: index)
    if launch.due.contains(name) || launch.next != nil || registry[index].inFlight != nil { return true }
    guard let pass = launch.pass else { return launch.state == .pending }
    return pass.stage == .running && !pass.isThrough(with: name, index)
  }
}
