/// A frame whose parts aren't joined: the text that many frames have in common isn't copied.
public struct FrameParts: Sendable, Equatable {
  /// What is before the common text; in a frame without one, everything.
  public let head: [UInt8]
  /// The text that other frames have, too.
  public let common: [UInt8]
  /// What is behind it.
  public let tail: [UInt8]

  /// A frame with a text that other frames have, too.
  public init(head: [UInt8], common: [UInt8], tail: [UInt8]) {
    self.head = head
    self.common = common
    self.tail = tail
  }

  /// A frame without such a text.
  public init(_ frame: [UInt8]) { self.init(head: frame, common: [], tail: []) }

  /// Its size in bytes.
  public var count: Int { head.count + common.count + tail.count }
  /// The whole frame.
  public var bytes: [UInt8] { common.isEmpty ? head : head + common + tail }
  /// Its parts, in order.
  public var parts: [[UInt8]] { common.isEmpty ? [head] : [head, common, tail] }
}
