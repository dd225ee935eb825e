/// What an app's environment says of it: what drives a manager's active phase.
///
/// Events come in pairs, so that work which one of them cancelled is started again by the other.
public enum LifecycleEvent: Sendable, Hashable, CaseIterable {
  /// The app became active: see ``InitManager/activate()``.
  case activate
  /// The app is no longer active: see ``InitManager/deactivate()``.
  case deactivate
}

extension InitManager {
  /// Takes events from a lifecycle source until it ends or the task is cancelled.
  ///
  /// The next event is asked for when the one before has been taken: the states have changed by then, and what `deactivate` cancels has been told
  /// so.
  public nonisolated func follow(_ events: some AsyncSequence<LifecycleEvent, Never>) async {
    for await event in events { await take(event) }
  }

  func take(_ event: LifecycleEvent) {
    switch event {
    case .activate: activate()
    case .deactivate: deactivate()
    }
  }
}
