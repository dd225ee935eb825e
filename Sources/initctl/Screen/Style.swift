internal import InitWire

/// Colours, if the terminal allows them.
struct Style {
  enum Color: Int {
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case magenta = 35
    case cyan = 36
    case gray = 90
  }

  /// Whether anything is coloured at all.
  let hasColor: Bool

  /// The text in a colour.
  func paint(_ text: String, _ color: Color?) -> String {
    guard hasColor, let color, !text.isEmpty else { return text }
    return "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m"
  }
}

extension InitializerStatus {
  /// The colour of a status.
  var color: Style.Color? {
    switch self {
    case .complete: .green
    case .failed: .red
    case .running: .cyan
    case .stopping, .cancelled, .notRun: .yellow
    case .idle, .waiting: .gray
    }
  }
}

extension StateShape.Name {
  /// The colour of a state.
  var color: Style.Color? {
    switch self {
    case .complete: .green
    case .failed: .red
    case .pending, .cancelled: .yellow
    }
  }
}
