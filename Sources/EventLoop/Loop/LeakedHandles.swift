/// A loop was closed with open handles.
public struct LeakedHandles: Error, Equatable, Sendable, CustomStringConvertible {
  /// The handles' names, in the order of their creation, then those of watches.
  public let names: [String]

  /// The handles that weren't closed, in the form "cannot X: why".
  public var description: String { "cannot close the loop: still open: \(names.joined(separator: ", "))" }
}
