/// A frame whose parts aren't joined: the text that many frames have in common isn't copied.
package struct FrameParts: Sendable, Equatable {
  /// The bytes before the common text; in a frame without one, all bytes.
  package let head: [UInt8]
  /// The text that the frame shares with other frames.
  package let common: [UInt8]
  /// The bytes after the common text.
  package let tail: [UInt8]

  /// Creates a frame with a text that it shares with other frames.
  package init(head: [UInt8], common: [UInt8], tail: [UInt8]) {
    self.head = head
    self.common = common
    self.tail = tail
  }

  /// Creates a frame without such a text.
  package init(_ frame: [UInt8]) { self.init(head: frame, common: [], tail: []) }

  /// The size in bytes.
  package var count: Int { head.count + common.count + tail.count }
  /// The whole frame.
  package var bytes: [UInt8] { common.isEmpty ? head : head + common + tail }
  /// The parts, in order.
  package var parts: [[UInt8]] { common.isEmpty ? [head] : [head, common, tail] }
}
