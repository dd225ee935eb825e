/// The memory of texts that are read one after another.
///
/// The memory of a small tree is used for the next one, unless it is still needed.
public struct JSONMemory {
  /// The text that is read next.
  public var text: [UInt8] = []
  /// The nodes of the last text.
  ///
  /// When its tree is freed, this object has the only reference to the nodes and the text, so they are changed in place.
  private var nodes: [JSONTree.Node] = []

  /// The memory of a larger text is freed with the text.
  private static let smallBytes = 4096

  /// No memory.
  public init() {}

  /// Checks the text, which must be one object.
  ///
  /// - Throws: the first fault of the text.
  public mutating func readObject() throws(StrictJSON.Fault) -> RawJSON {
    defer { if text.count > Self.smallBytes { self = JSONMemory() } }
    try StrictJSON.Scanner.scan(text, asObject: true, into: &nodes)
    return RawJSON(JSONTree(text, nodes), 0)
  }
}
