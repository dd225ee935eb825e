internal import InitText

/// One line of a screen: spans with colours, clipped to the width of the terminal.
struct ScreenLine: Equatable {
  /// A text in one colour.
  ///
  /// The text of a span is already escaped.
  struct Span: Equatable {
    let text: String
    let color: Style.Color?
  }

  var spans: [Span] = []
  /// Whether the line is shown in reverse video.
  var isReversed = false

  init(_ text: String = "", _ color: Style.Color? = nil) { add(text, color) }

  /// Adds a span at the end of the line.
  mutating func add(_ text: String, _ color: Style.Color? = nil) {
    if !text.isEmpty { spans.append(Span(text: text, color: color)) }
  }

  /// The text without colours.
  var plain: String { spans.map(\.text).joined() }

  /// Returns the text in at most that many columns.
  func text(_ columns: Int, _ style: Style) -> String {
    if isReversed, style.hasColor {
      return "\u{1B}[7m" + TextWidth.pad(TextWidth.clip(plain, to: columns), to: columns) + "\u{1B}[0m"
    }
    var text = ""
    var left = columns
    for (index, span) in spans.enumerated() {
      let width = TextWidth.columns(span.text)
      // A span that fits exactly is also clipped if another one follows, so the ellipsis shows it.
      if width < left || width == left && index == spans.count - 1 {
        text += style.paint(span.text, span.color)
        left -= width
      } else {
        return text + style.paint(TextWidth.clip(span.text + (width == left ? "  " : ""), to: left), span.color)
      }
    }
    return text
  }
}
