internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitRecords
internal import InitRunner
internal import Platform

/// Checks the conditions of initializers (S29) and whether they are fresh (S30), without blocking the loop.
final class Conditions {
  let shared: SupervisorContext
  private let fingerprints: Fingerprints
  private let launches: LaunchJournal
  private let commands: CommandRunner

  init(
    _ shared: SupervisorContext, commands: CommandRunner, fingerprints: Fingerprints, launches: LaunchJournal
  ) {
    self.shared = shared
    self.commands = commands
    self.fingerprints = fingerprints
    self.launches = launches
  }

  /// Checks a condition, reads what the initializer's work depends on, and passes both to the machine.
  func check(_ check: ConditionCheck) {
    guard
      let declaration = shared.read({ $0.initializer(named: check.initializer)?.declaration }),
      declaration.hasCondition || declaration.hasUnless,
      let declared = shared.configuration.initializers.first(where: { $0.declaration.name == check.initializer })
    else { return compare(check) }
    guard let condition = declared.condition else { return askUnless(declared, check) }
    let own = declared.command?.environment ?? shared.configuration.declaredEnvironment
    let common = shared.configuration.environment
    if let unmet = condition.unmet(in: { own[$0] ?? common[$0] }) { return answer(check, unmet) }
    findPresent(condition.path, of: check) { [weak self] in self?.findMissing(condition.missing, of: check, declared) }
  }

  /// Asks whether the work is already done, unless somebody has requested the run.
  private func askUnless(_ declared: DeclaredInitializer, _ check: ConditionCheck) {
    guard let unless = declared.unless, let command = declared.command, !check.isForced else { return compare(check) }
    commands.check(unless, of: declared.declaration, command, number: check.number) { [weak self] isDone in
      if isDone { self?.answer(check, "already done") } else { self?.compare(check) }
    }
  }

  /// Ends the questions of passes that have ended.
  func endUnawaited() {
    commands.endChecks { number in shared.read { $0.isAwaiting(check: number) } }
  }

  /// Looks for the file that must exist.
  private func findPresent(_ path: String?, of check: ConditionCheck, then: @escaping () -> Void) {
    guard let path else { return then() }
    find(path) { [weak self] error in
      guard let error else { return then() }
      self?.answer(check, error.isAbsence ? "\(path) doesn't exist" : "cannot look for \(path): \(error.reason)")
    }
  }

  /// Looks for the file that must not exist.
  private func findMissing(_ path: String?, of check: ConditionCheck, _ declared: DeclaredInitializer) {
    guard let path else { return askUnless(declared, check) }
    find(path) { [weak self] error in
      if error?.isAbsence == true {
        self?.askUnless(declared, check)
      } else {
        self?.answer(check, error.map { "cannot look for \(path): \($0.reason)" } ?? "\(path) exists")
      }
    }
  }

  /// Looks for a file.
  ///
  /// If the system has no thread, the loop itself looks, though it may block: without an answer the initializer would be skipped, and its
  /// dependents would continue.
  private func find(_ path: String, then: @escaping (SystemError?) -> Void) {
    shared.loop.findFile(path) { error in
      guard let error, error.isUnasked else { return then(error) }
      then(FileIdentity(behind: path) == nil ? .last("stat", path) : nil)
    }
  }

  /// Reads what the work of an initializer with a valid condition depends on, and passes it to the machine.
  private func compare(_ check: ConditionCheck) {
    fingerprints.read(check) { [weak self] in self?.answer(check, nil, $0) }
  }

  private func answer(_ check: ConditionCheck, _ unmet: String?, _ fingerprint: Fingerprint? = nil) {
    let name = check.initializer
    if unmet == nil, shared.read({ $0.isAwaiting(check: check.number) }),
      let verdict = shared.read({ $0.freshness(of: name, fingerprint) })
    {
      launches.explain(name, verdict, in: check.phase)
    }
    try? shared.apply(.conditionChecked(check: check.number, unmet: unmet, fingerprint: fingerprint))
  }
}
