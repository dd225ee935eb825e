/// Decides which output lines of commands and kept processes the log shows.
public enum OutputInLog: String, Hashable, Sendable, CaseIterable {
  /// Every line at once, at any log level.
  case all
  /// The last lines, when an attempt or a kept process fails.
  case failed
  /// None.
  ///
  /// `initctl logs` still has the dropped lines.
  case none
}
