/// An error in a command line.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  /// The message: what is wrong, and what to write instead.
  ///
  /// The message may contain unescaped words of the command line.
  package let message: String
  /// The program and command that were meant; empty while they are unknown.
  private let path: String

  /// `path` is the program and command that the user meant.
  package init(_ message: String, of path: String = "") {
    self.message = message
    self.path = path
  }

  package var description: String { message }

  /// The hint to read the help.
  package var remedy: String { "See '\(path) --help'." }
}
