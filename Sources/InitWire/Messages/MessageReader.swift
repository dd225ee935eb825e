/// Reads the messages of many connections, one after another. The memory of a small one is used for the next, unless it is still needed.
public struct MessageReader {
  /// The last small message.
  private var last = JSONTree.empty

  /// A message of more bytes has memory of its own, which is freed with it.
  private static let smallBytes = 4096

  /// A reader that hasn't read anything.
  public init() {}

  /// The message in the next complete frame of a connection, or nil if more bytes are needed.
  ///
  /// - Parameters:
  ///   - decoder: that of the connection.
  ///   - arrived: as in `FrameDecoder.next(in:)`.
  /// - Throws: `FrameFault`, as `FrameDecoder.next(in:)` does.
  public mutating func next(
    of decoder: inout FrameDecoder, in arrived: inout UnsafeRawBufferPointer
  ) throws(FrameFault) -> Envelope? {
    guard let payload = decoder.takeWhole(in: &arrived, most: Self.smallBytes) else {
      return try decoder.next(in: &arrived).map(Envelope.init(payload:))
    }
    if !isKnownUniquelyReferenced(&last) { last = JSONTree.empty }
    do throws(StrictJSON.Fault) {
      try last.replace(byMessage: payload)
      return Envelope(RawJSON(last, 0))
    } catch {
      return .invalid(id: nil, error: WireError(error))
    }
  }
}
