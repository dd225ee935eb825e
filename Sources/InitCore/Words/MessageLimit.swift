/// How long a message may be that somebody reports: of a run's progress, or of its error. What is shown of initializers stays small, whatever
/// they say.
package enum MessageLimit {
  /// In bytes of UTF-8.
  package static let bytes = 1024
  /// What a message ends with that was longer.
  package static let mark = "… (cut)"
}

extension String {
  /// Itself, or as much of its beginning as fits with the mark in `limit` bytes, ended by the mark.
  package func cut(to limit: Int = MessageLimit.bytes) -> String {
    guard utf8.count > limit else { return self }
    var room = max(0, limit - MessageLimit.mark.utf8.count)
    let bytes = Array(utf8.prefix(room + 1))
    // Back to where a character begins.
    while room > 0, bytes[room] & 0xC0 == 0x80 { room -= 1 }
    return String(decoding: bytes[..<room], as: UTF8.self) + MessageLimit.mark
  }
}

extension Cause {
  /// The same, with a message that isn't too long.
  var bounded: Cause {
    switch self {
    case .error(let message): .error(message: message.cut())
    case .notFound(let message): .notFound(message: message.cut())
    case .exit, .signal, .timeout, .workerLost, .unknown: self
    }
  }
}
