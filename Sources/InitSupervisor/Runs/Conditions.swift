internal import EventLoop
internal import Glibc
internal import InitCore
internal import Platform

/// Checks the conditions of initializers (S29), without blocking the loop.
final class Conditions: Component {
  let shared: Shared

  init(_ shared: Shared) { self.shared = shared }

  /// Checks a condition, and tells the machine.
  func check(_ check: ConditionCheck) {
    guard let declared = configuration.initializers.first(where: { $0.declaration.name == check.initializer }),
      let condition = declared.condition
    else { return answer(check, nil) }
    let (own, common) = (declared.command?.environment ?? [:], configuration.environment)
    if let unmet = condition.unmet(in: { own[$0] ?? common[$0] }) { return answer(check, unmet) }
    findPresent(condition.path, of: check) { [weak self] in self?.findMissing(condition.missing, of: check) }
  }

  /// Looks for the file that must exist.
  private func findPresent(_ path: String?, of check: ConditionCheck, then: @escaping () -> Void) {
    guard let path else { return then() }
    loop.findFile(path) { [weak self] error in
      guard let error else { return then() }
      self?.answer(check, error.isAbsence ? "\(path) doesn't exist" : "cannot look for \(path): \(error.reason)")
    }
  }

  /// Looks for the file that must not exist.
  private func findMissing(_ path: String?, of check: ConditionCheck) {
    guard let path else { return answer(check, nil) }
    loop.findFile(path) { [weak self] error in
      if error?.isAbsence == true {
        self?.answer(check, nil)
      } else {
        self?.answer(check, error.map { "cannot look for \(path): \($0.reason)" } ?? "\(path) exists")
      }
    }
  }

  private func answer(_ check: ConditionCheck, _ unmet: String?) {
    try? shared.apply(.conditionChecked(check: check.number, unmet: unmet))
  }
}

extension SystemError {
  /// Whether the file doesn't exist.
  fileprivate var isAbsence: Bool { errno == ENOENT || errno == ENOTDIR }
}
