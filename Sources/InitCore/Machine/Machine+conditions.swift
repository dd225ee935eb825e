internal import InitText
internal import InitWords

/// Conditions: whether an initializer is skipped when its turn comes (S29).
extension Machine {
  /// Asks for an initializer's condition, unless that has held in this pass; the question keeps a place for it.
  ///
  /// - Returns: whether the initializer has to wait for the answer.
  mutating func asks(_ index: PlanIndex, _ declaration: Declaration, attempt: Int, _ phase: Phase) -> Bool {
    guard declaration.hasCondition, attempt == 1,
      inPass(phase, { $0.admitted.contains(declaration.name) }) == false
    else { return false }
    lastCheck += 1
    let number = lastCheck
    inPass(phase) { pass in
      pass.standings[index] = .asking(number)
      pass.asked[number] = index
    }
    effects.append(.checkCondition(ConditionCheck(number: number, initializer: declaration.name)))
    return true
  }

  /// Gives an initializer its turn if its condition holds; otherwise it is skipped, and its dependents go on.
  ///
  /// An answer to a question that is no longer open has no effect.
  mutating func handleCheck(_ number: Int, unmet reason: String?, at now: Instant) {
    for phase in Phase.allCases {
      guard let index = inPass(phase, { $0.asked.removeValue(forKey: number) }) ?? nil,
        let item = self[phase].pass?.plan.items[index], self[phase].pass?.stage == .running
      else { continue }
      guard let reason else {
        inPass(phase) { pass in
          pass.admitted.insert(item.name)
          pass.standings[index] = .ready(attempt: 1)
          pass.makeReady(index, attempt: 1)
        }
        dueAgain.append(item.name)
        return
      }
      inPass(phase) { $0.complete(index, at: now) }
      guard let entry = self.index(of: item) else { return }
      registry[entry].complete(in: phase)
      registry[entry].outcome = .skipped(.condition(reason.cut()))
      registry[entry].run = nil
      touch(entry)
      return
    }
  }
}
