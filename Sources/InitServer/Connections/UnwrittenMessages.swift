internal import DequeModule

/// Messages that wait for a client's next turns: the rest of a large message, and the messages behind it.
///
/// A value.
struct UnwrittenMessages {
  private var messages: Deque<(message: [UInt8], written: Int)> = []
  /// The bytes that wait.
  private(set) var bytes = 0
  /// The memory of the messages: a large message takes it until all of it is written.
  private(set) var memory = 0

  /// The memory that a message takes in addition to its bytes.
  private static let bytesOfMessage = 96

  /// Whether no message waits.
  var isEmpty: Bool { messages.isEmpty }

  /// Adds a message.
  mutating func append(_ message: [UInt8]) {
    messages.append((message, 0))
    bytes += message.count
    memory += message.capacity + Self.bytesOfMessage
  }

  /// Removes the next piece: of the first message, at most this number of bytes.
  mutating func next(_ room: Int) -> [UInt8]? {
    guard let (message, written) = messages.first else { return nil }
    let piece = message[written...].prefix(room)
    bytes -= piece.count
    guard piece.endIndex == message.count else {
      messages[0].written = piece.endIndex
      return Array(piece)
    }
    messages.removeFirst()
    memory -= message.capacity + Self.bytesOfMessage
    // The queue keeps no room.
    if messages.isEmpty { messages = [] }
    return Array(piece)
  }
}
