internal import EventLoop
internal import InitCore
internal import InitDeclarations

/// Processes without `ready`, which no pass starts, after what they depend on has run again.
extension Processes {
  /// Restarts processes once everything on which they depend is complete again, at the end of a pass.
  package func restartAfterPass(_ names: some Sequence<String>) {
    for name in names { afterPass[name] = .always }
  }

  /// Restarts the processes that depend on these initializers and then take other outputs from what they depend on, at the end of a pass
  /// (S35).
  package func restartDependents(of initializers: some Sequence<String>) {
    for name in dependents(of: Set(initializers)) where named[name]?.hasReadiness == false {
      afterPass[name] = afterPass[name] ?? .ifOutputsDiffer
    }
  }

  /// Handles that a pass has ended.
  ///
  /// This is called in a step of the machine.
  package func recordPassEnd() {
    guard !afterPass.isEmpty else { return }
    shared.loop.later { [weak self] in self?.restartWaiting() }
  }

  private func restartWaiting() {
    for (name, need) in afterPass.sorted(by: { $0.key < $1.key }) {
      guard let process = named[name], mayBeRestarted(name) else {
        afterPass[name] = nil
        continue
      }
      guard areDependenciesComplete(of: process) else { continue }
      afterPass[name] = nil
      process.compareOutputs()
      if need == .always || process.takesEarlierOutputs { restart([name], by: nil) }
    }
  }

  /// Returns everything that depends on one of these initializers, directly or not.
  package func dependents(of initializers: Set<String>) -> Set<String> {
    let dependencies =
      shared.settings.initializers.map { ($0.declaration.name, $0.declaration.dependencies) }
      + shared.settings.processes.map { ($0.name, $0.dependencies) }
    var reached = initializers
    var isGrowing = true
    while isGrowing {
      let next = dependencies.filter { !reached.contains($0.0) && !reached.isDisjoint(with: $0.1) }.map(\.0)
      reached.formUnion(next)
      isGrowing = !next.isEmpty
    }
    return reached.subtracting(initializers)
  }
}
