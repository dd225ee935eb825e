/// A run asked for the output of an initializer from which it gets none.
public struct MissingOutput: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why there is nothing.
  public enum Reason: Error, Hashable {
    /// It isn't a dependency, or hasn't handed over anything that stands (S25).
    case nothing
    /// Several initializers, of these names, are of the type that was asked for.
    case ambiguous([String])
    /// What was handed over is of another type.
    case type(found: String, wanted: String)
  }

  /// Who asked.
  public let initializer: String
  /// Whose output was asked for.
  public let dependency: String
  /// Why there is nothing.
  public let reason: Reason

  /// What is wrong, and what to do.
  public var description: String {
    switch reason {
    case .nothing:
      """
      \(initializer) has no output of \(dependency): \(dependency) isn't a dependency of it, or returned no value; add it to the \
      dependencies, or let its run return a value
      """
    case .ambiguous(let names):
      """
      \(initializer) has no output of \(dependency): several initializers have this type (\(names.joined(separator: ", "))); ask for one of them by its name
      """
    case .type(let found, let wanted):
      "\(initializer) cannot read the output of \(dependency): it is \(found), not \(wanted); ask for the type that its run returns"
    }
  }
}
