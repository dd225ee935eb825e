/// Which output lines of commands and kept processes the log shows.
public enum OutputInLog: String, Hashable, Sendable, CaseIterable {
  /// Every line, as it comes, whatever the log's level.
  case all
  /// The last lines, when an attempt or a kept process fails.
  case failed
  /// None. `initctl logs` still has them.
  case none
}
