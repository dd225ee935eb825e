/// What an app's environment says of it: what drives a manager's active phase.
///
/// Events come in pairs, so that work which one of them cancelled is started again by the other.
public enum LifecycleEvent: Sendable, Hashable, CaseIterable {
  /// The app became active: see ``InitManager/activate()``.
  case activate
  /// The app is no longer active: see ``InitManager/deactivate()``.
  case deactivate
}
