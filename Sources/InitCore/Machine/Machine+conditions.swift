internal import InitText
internal import InitWords

/// Conditions and freshness: whether an initializer is skipped when its turn comes (S29, S30).
extension Machine {
  /// Checks an initializer's condition, and reads what its work depends on, once in a pass; the question keeps a place for the initializer.
  ///
  /// - Returns: whether the initializer has to wait for the answer.
  mutating func asks(_ index: PlanIndex, _ declaration: Declaration, attempt: Int, _ phase: Phase) -> Bool {
    guard declaration.hasCondition || declaration.hasUnless || declaration.freshness != nil, attempt == 1,
      inPass(phase, { $0.admitted.contains(declaration.name) }) == false
    else { return false }
    lastCheck += 1
    let number = lastCheck
    inPass(phase) { pass in
      pass.standings[index] = .asking(number)
      pass.asked[number] = index
    }
    let isForced = inPass(phase) { $0.forced[declaration.name] != nil } ?? false
    effects.append(
      .checkCondition(
        ConditionCheck(number: number, initializer: declaration.name, phase: phase, isForced: isForced)))
    return true
  }

  /// Lets an initializer run if its condition holds and it isn't fresh; otherwise it is skipped, and its dependents continue.
  ///
  /// An answer to a question that is no longer open has no effect.
  mutating func handleCheck(_ number: Int, unmet reason: String?, _ fingerprint: Fingerprint?, at now: Instant) {
    for phase in Phase.allCases {
      guard let index = inPass(phase, { $0.asked.removeValue(forKey: number) }) ?? nil,
        let item = self[phase].pass?.plan.items[index], self[phase].pass?.stage == .running
      else { continue }
      if let reason { return skip(index, phase, because: .condition(reason.cut()), at: now) }
      if freshness(of: item.name, fingerprint) == .fresh {
        effects.append(.reuseOutput(item.name, phase))
        return skip(index, phase, because: .fresh, at: now)
      }
      inPass(phase) { pass in
        pass.admitted.insert(item.name)
        pass.fingerprints[item.name] = fingerprint?.moved(by: .zero - now)
        pass.standings[index] = .ready(attempt: 1)
        pass.makeReady(index, attempt: 1)
      }
      dueAgain.append(item.name)
      return
    }
  }

  /// Decides whether an initializer is fresh, if its work depends on this now; `nil` if it is never (S30).
  public func freshness(of name: String, _ fingerprint: Fingerprint?) -> FreshnessVerdict? {
    guard let entry = registry[name], let freshness = entry.declaration.freshness else { return nil }
    return freshness.verdict(fingerprint, completed: entry.fingerprint, isStale: entry.isStale)
  }

  /// Returns the fingerprint of an initializer's last completion, if it may be fresh and nothing has undone the completion since (S30).
  public func fingerprint(of name: String) -> Fingerprint? { registry[name]?.fingerprint }

  private mutating func skip(_ index: PlanIndex, _ phase: Phase, because reason: SkipReason, at now: Instant) {
    inPass(phase) { $0.complete(index, at: now) }
    guard let item = self[phase].pass?.plan.items[index], let entry = self.index(of: item) else { return }
    registry[entry].complete(in: phase)
    registry[entry].outcome = .skipped(reason)
    registry[entry].run = nil
    // The effect of its run in an earlier supervisor still has to be undone at the end (S24).
    if reason == .fresh, registry[entry].completion == nil { recordCompletion(of: entry) }
    touch(entry)
  }

  /// Records the fingerprint of an initializer that has completed in a pass.
  mutating func recordFingerprint(of entry: InitializerIndex, _ phase: Phase, at now: Instant) {
    let name = registry.name(at: entry)
    registry[entry].fingerprint = (inPass(phase) { $0.fingerprints[name] } ?? nil)?.moved(by: now)
  }
}
