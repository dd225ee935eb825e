/// A loop was closed while handles were open on it: somebody forgot to close them.
public struct LeakedHandles: Error, Equatable, Sendable, CustomStringConvertible {
  /// The handles' names, in the order they were made.
  public let names: [String]

  /// What was left, in the style "cannot X: why".
  public var description: String { "cannot close the loop: still open: \(names.joined(separator: ", "))" }
}
