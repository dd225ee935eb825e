package import InitJSON
internal import InitText

extension JSONWriter.Detail {
  /// Returns the message, 64 bytes of it, or an empty text.
  package func cut(_ message: String) -> String {
    switch self {
    case .whole: message
    case .short: message.cut(to: 64, mark: "…")
    case .none: ""
    }
  }

  /// Returns the cycle, 16 names of it, or an empty list.
  package func cut(_ cycle: [String]) -> [String] {
    switch self {
    case .whole: cycle
    case .short: Array(cycle.prefix(16))
    case .none: []
    }
  }
}
