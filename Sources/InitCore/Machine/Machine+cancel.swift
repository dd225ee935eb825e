internal import InitWords

/// Cancellations by an operator: of single runs, like a timeout of each (S34).
extension Machine {
  /// Fails these initializers, all or none: their runs are asked to stop, their delays end, and none is retried.
  mutating func handleCancellation(of names: [String], by user: String, at now: Instant) throws(Refusal) {
    var others: [InitializerStanding] = []
    for name in names {
      guard let index = registry.index(of: name) else { throw .unknownInitializer(name) }
      if !isCancellable(name, index) { others.append(standing(of: index)) }
    }
    guard others.isEmpty else { throw .notRunning(others) }
    let cause = Cause.operator(user: user).bounded
    var failed: [(run: Run?, item: PlanIndex?, phase: Phase, failure: Failure)] = []
    // All cancellations come first, because the failure of one run may end its pass.
    for name in names {
      let failure = Failure.initializerFailed(name, cause)
      for id in cancellableRuns(of: name) {
        runs[id]?.cancelledBy = user
        stop(id, reason: .operator, at: now)
        if let run = runs[id] { failed.append((run, nil, run.phase, failure)) }
      }
      for phase in Phase.allCases {
        guard let item = delayedItem(of: name, phase) else { continue }
        self[phase].pass?.delayed.remove(name)
        deadlines[.retry(phase, name)] = nil
        markFailed(item, phase, with: failure, at: now)
        failed.append((nil, item, phase, failure))
      }
    }
    for each in failed {
      if let item = each.item {
        spreadFailure(of: item, each.phase, with: each.failure, at: now)
      } else if let run = each.run, isMandatory(run), !configuration.keepsGoing {
        fail(each.phase, with: each.failure, at: now)
      }
    }
  }

  /// Returns the runs of these initializers that an operator has cancelled, and that haven't stopped.
  public func cancelledRuns(of names: [String]) -> Set<RunID> {
    Set(runs.filter { $0.value.state == .stopping(.operator) && names.contains($0.value.initializer) }.keys)
  }

  private func isCancellable(_ name: String, _ index: InitializerIndex) -> Bool {
    !cancellableRuns(of: name).isEmpty || Phase.allCases.contains { delayedItem(of: name, $0) != nil }
  }

  /// Returns the runs of an initializer that count, or would be retried.
  private func cancellableRuns(of name: String) -> [RunID] {
    runs.filter { _, run in
      guard run.initializer == name else { return false }
      switch run.state {
      case .running: return true
      case .stopping(.timeout): return self[run.phase].pass?.stage == .running
      case .stopping(.deactivated), .stopping(.failed), .stopping(.unregistered), .stopping(.shutdown),
        .stopping(.operator):
        return false
      }
    }.keys.sorted()
  }

  /// Returns the item of an initializer that is between two attempts in a pass that continues.
  private func delayedItem(of name: String, _ phase: Phase) -> PlanIndex? {
    let initializer = registry.index(of: name)
    guard let pass = self[phase].pass, pass.stage == .running, pass.isBetweenAttempts(of: name, initializer) else {
      return nil
    }
    return pass.plan.index(of: name, initializer)
  }

  /// Returns whether the pass fails at once if a run fails: its initializer isn't optional.
  private func isMandatory(_ run: Run) -> Bool {
    let initializer = registry.index(of: run.initializer, formerly: run.entry)
    return self[run.phase].pass?.declaration(of: run.initializer, initializer)?.isOptional == false
  }
}
