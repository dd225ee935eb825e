internal import InitWords

/// Processes whose start is an initializer (S32).
extension Machine {
  /// Undoes the completion of an initializer whose process has ended: it joins the pass in flight, or a new one begins (S19, S22).
  mutating func handleProcessEnd(of name: String, at now: Instant) {
    guard !isShuttingDown, registry[name]?.kind == .process, registry[name]?.undo() == true else { return }
    mayMakeStale = true
    join(.launch, [name], at: now)
    join(.active, [name], at: now)
    if !configuration.defersPlanning { planIfStale(at: now) }
    touch(name)
  }
}
