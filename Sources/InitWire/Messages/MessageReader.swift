/// Reads the messages of many connections, one after another. The memory of a small one is used for the next, unless it is still needed.
public struct MessageReader {
  /// The text and the nodes of the last message. When its tree is freed, only the reader has them, so that they are changed in place.
  private var text: [UInt8] = []
  private var nodes: [JSONTree.Node] = []

  /// The memory of a message of more bytes is freed with it.
  private static let smallBytes = 4096

  /// A reader that hasn't read anything.
  public init() {}

  /// The message in the next complete frame of a connection, or nil if more bytes are needed.
  ///
  /// - Parameters:
  ///   - decoder: that of the connection.
  ///   - arrived: as in `FrameDecoder.next(in:into:)`.
  /// - Throws: `FrameFault`, as `FrameDecoder.next(in:into:)` does.
  public mutating func next(
    of decoder: inout FrameDecoder, in arrived: inout UnsafeRawBufferPointer
  ) throws(FrameFault) -> Envelope? {
    guard try decoder.next(in: &arrived, into: &text) else { return nil }
    defer { if text.count > Self.smallBytes { (text, nodes) = ([], []) } }
    do throws(StrictJSON.Fault) {
      try StrictJSON.Scanner.scan(text, asMessage: true, into: &nodes)
      return Envelope(RawJSON(JSONTree(text, nodes), 0))
    } catch {
      return .invalid(id: nil, error: WireError(error))
    }
  }
}
