/// The longest message of a run's progress or error, so the visible state of initializers stays small.
package enum MessageLimit {
  /// In bytes of UTF-8.
  package static let bytes = 1024
  /// The end of a message that was cut.
  package static let mark = "… (cut)"
}

extension String {
  /// Returns the text, or as much of its beginning as fits into `limit` bytes of UTF-8 together with the mark at its end.
  package func cut(to limit: Int = MessageLimit.bytes, mark: String = MessageLimit.mark) -> String {
    guard utf8.count > limit else { return self }
    var room = max(0, limit - mark.utf8.count)
    let bytes = Array(utf8.prefix(room + 1))
    // Back to the beginning of a character.
    while room > 0, bytes[room] & 0xC0 == 0x80 { room -= 1 }
    return String(decoding: bytes[..<room], as: UTF8.self) + mark
  }
}
