internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

/// Colours, if the terminal allows them.
struct Style {
  enum Color: Int {
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
    case gray = 90
  }

  /// Whether colours are used at all.
  let hasColor: Bool

  /// Paints a text in a colour.
  func paint(_ text: String, _ color: Color?) -> String {
    color.map { paint(text, code: $0.rawValue) } ?? text
  }

  /// Paints a text in the colour with this number (SGR).
  func paint(_ text: String, code: Int) -> String {
    hasColor && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension Initializer {
  /// The colour of the initializer's status.
  ///
  /// The status of an initializer whose worker was lost isn't shown in green.
  var color: Style.Color? { hasLostWorker && status == .complete ? .yellow : status.known?.color }
}

extension InitializerStatus {
  /// The colour of a status.
  var color: Style.Color? {
    switch self {
    case .complete: .green
    case .failed: .red
    case .running: .cyan
    case .stopping, .cancelled, .notRun: .yellow
    case .idle, .waiting, .skipped: .gray
    }
  }
}

extension Status.State.Name {
  /// The colour of a state.
  var color: Style.Color? {
    switch self {
    case .complete: .green
    case .failed: .red
    case .pending, .cancelled: .yellow
    }
  }
}
