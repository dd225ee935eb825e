/// Why an initializer isn't run although nothing has failed.
public enum SkipReason: Hashable, Sendable {
  /// The supervisor was started with `--skip` for it. Its dependents continue as if it had completed (S28).
  case requested
  /// The condition didn't hold, for this reason (S29).
  case condition(String)
  /// The initializer completed before, and nothing that its work depends on has changed since (S30).
  case fresh
  /// Only selected initializers run, and none of them needs this one (S28).
  case unselected
}
