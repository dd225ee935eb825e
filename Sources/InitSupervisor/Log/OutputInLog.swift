/// Which lines that commands and kept processes write are shown in the log.
public enum OutputInLog: String, Hashable, Sendable, CaseIterable {
  /// Every line, as it comes, whatever the log's level.
  case all
  /// The last lines, when an attempt or a kept process fails.
  case failed
  /// None. They are in `initctl logs` all the same.
  case none
}
