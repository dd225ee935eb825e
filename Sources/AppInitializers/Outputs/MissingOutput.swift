/// A run requested an output that it can't get.
public struct MissingOutput: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason.
  public enum Reason: Error, Hashable {
    /// The initializer isn't a dependency, or has no output (S25).
    case nothing
    /// Several initializers, with these names, have the requested type.
    case ambiguous([String])
    /// The output has another type.
    case type(found: String, wanted: String)
  }

  /// The initializer that requested the output.
  public let initializer: String
  /// The initializer whose output was requested.
  public let dependency: String
  /// The reason.
  public let reason: Reason

  /// Says what is wrong, and what to do.
  public var description: String {
    switch reason {
    case .nothing:
      """
      \(initializer) has no output of \(dependency): \(dependency) isn't a dependency of it, or returned no value; add it to the \
      dependencies, or let its run return a value
      """
    case .ambiguous(let names):
      """
      \(initializer) has no output of \(dependency): several initializers have this type (\(names.joined(separator: ", "))); ask for one \
      of them by its name
      """
    case .type(let found, let wanted):
      "\(initializer) cannot read the output of \(dependency): it is \(found), not \(wanted); ask for the type that its run returns"
    }
  }
}
