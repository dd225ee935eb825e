internal import InitJSON

/// Reads the messages of many connections, one after another.
package struct MessageReader {
  private var memory = JSONMemory()

  /// Creates a reader that hasn't read anything.
  package init() {}

  /// Reads the message in the next complete frame of a connection.
  ///
  /// Returns nil if more bytes are needed.
  ///
  /// `decoder` is the decoder of the connection. `arrived` is as in `FrameDecoder.next(in:into:)`. Throws `FrameFault`, as
  /// `FrameDecoder.next(in:into:)` does.
  package mutating func next(
    of decoder: inout FrameDecoder, in arrived: inout UnsafeRawBufferPointer
  ) throws(FrameFault) -> Envelope? {
    guard try decoder.next(in: &arrived, into: &memory.text) else { return nil }
    do throws(StrictJSON.Fault) {
      return Envelope(try memory.readObject())
    } catch {
      return .invalid(id: nil, error: WireError(error))
    }
  }
}
