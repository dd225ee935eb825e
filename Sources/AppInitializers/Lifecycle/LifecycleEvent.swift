/// An event of the app's lifecycle, which drives a manager's active phase.
///
/// Events come in pairs: one cancels work, the other starts it again.
public enum LifecycleEvent: Sendable, Hashable, CaseIterable {
  /// The app became active: see ``InitManager/activate()``.
  case activate
  /// The app is no longer active: see ``InitManager/deactivate()``.
  case deactivate
}
