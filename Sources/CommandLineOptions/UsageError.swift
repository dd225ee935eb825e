/// What is wrong with a command line.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  /// What, and what to write instead. It repeats words of the command line as they are.
  package let message: String
  /// The command that was meant, with its program; empty as long as that is unknown.
  private let path: String

  /// - Parameter path: the command that was meant, with its program.
  package init(_ message: String, of path: String = "") {
    self.message = message
    self.path = path
  }

  package var description: String { message }

  /// Where to read how it is right.
  package var remedy: String { "See '\(path) --help'." }
}
