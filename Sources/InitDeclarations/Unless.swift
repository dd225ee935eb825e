/// A command that is run at an initializer's turn: exit status 0 means that the work is already done (S37).
package struct Unless: Hashable, Sendable {
  /// The program and its arguments.
  package var arguments: [String]
  /// How long the command may take; then the initializer runs.
  package var timeout: Duration

  /// The default of ``timeout``.
  package static let usualTimeout = Duration.seconds(5)

  /// Creates a check.
  package init(_ arguments: [String], timeout: Duration = usualTimeout) {
    self.arguments = arguments
    self.timeout = timeout
  }
}
