/// The app's lifecycle, independent of its initializers.
public enum Lifecycle: String, Hashable, Sendable, CaseIterable {
  /// In the background, or not started; the state after a deactivation.
  case inactive
  /// In the foreground: from `activate` to `deactivate`.
  case active
}

extension Lifecycle: CustomStringConvertible {
  /// The word.
  public var description: String { rawValue }
}
