internal import InitWords

/// Processes whose start is an initializer (S32).
extension Machine {
  /// Undoes the completion of an initializer whose process has ended: it joins the pass in flight, or a new one begins (S19, S22).
  ///
  /// Its dependents run again after it, if it is declared so.
  mutating func handleProcessEnd(of name: String, at now: Instant) {
    guard !isShuttingDown, let index = registry.index(of: name) else { return }
    guard registry[index].kind == .process, registry[index].undo() else { return }
    mayMakeStale = true
    let reruns = registry[index].declaration.rerunsDependents
    let due = reruns ? withAllDependents(of: [index], []) : (launch: [], active: [])
    runAgainOrForget(due.launch.filter { $0 != index }, .launch, joining: [name], at: now)
    runAgainOrForget(due.active, .active, joining: [name], at: now)
    if !configuration.defersPlanning { planIfStale(at: now) }
    touch(name)
  }
}
