/// A table for people: aligned, and as wide as the terminal at most.
struct Table {
  /// A column.
  struct Column {
    /// Its title.
    let title: String
    /// Whether its cells are aligned to the right, as numbers are.
    var isNumber = true
    /// Columns with smaller numbers are left out first if the terminal is too narrow. The first column always stays.
    var importance = 0
  }

  /// A cell's text, without control characters, and its colour.
  struct Cell: ExpressibleByStringInterpolation {
    let text: String
    var color: Style.Color?

    init(_ text: String, _ color: Style.Color? = nil) { (self.text, self.color) = (text, color) }

    init(stringLiteral text: String) { self.init(text) }
  }

  /// The columns; the first one is clipped if it is too long.
  let columns: [Column]
  /// The rows, with a cell for each column.
  var rows: [[Cell]] = []

  /// The lines, without newlines; with titles unless there are no rows.
  func lines(_ terminal: OutputTerminal) -> [String] {
    guard !rows.isEmpty else { return [] }
    let style = Style(hasColor: terminal.hasColor)
    let (shown, widths) = layout(terminal.size?.columns)
    func line(_ cells: [Cell]) -> String {
      var line = ""
      var margin = ""
      for column in shown {
        let text = TextWidth.clip(cells[column].text, to: widths[column])
        let padding = String(repeating: " ", count: widths[column] - TextWidth.columns(text))
        let painted = style.paint(text, cells[column].color)
        line += margin + (columns[column].isNumber ? padding + painted : painted)
        margin = (columns[column].isNumber ? "" : padding) + "  "
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
    return [line(columns.map { Cell($0.title) })] + rows.map(line)
  }

  /// The columns that fit, and the widths of all.
  private func layout(_ available: Int?) -> (shown: [Int], widths: [Int]) {
    var widths = columns.indices.map { column in
      rows.reduce(TextWidth.columns(columns[column].title)) { max($0, TextWidth.columns($1[column].text)) }
    }
    var shown = Array(columns.indices)
    guard let available, let first = shown.first else { return (shown, widths) }
    func room() -> Int { shown.dropFirst().reduce(available) { $0 - widths[$1] - 2 } }
    let least = min(widths[first], max(12, available / 3))
    while shown.count > 1, room() < least,
      let dropped = shown.dropFirst().min(by: { columns[$0].importance < columns[$1].importance })
    {
      shown.removeAll { $0 == dropped }
    }
    widths[first] = min(widths[first], max(1, room()))
    return (shown, widths)
  }
}

/// Text for people that is longer than a line.
enum Paragraph {
  /// The words in lines that fit the terminal; one line if the output isn't a terminal. Later lines are indented.
  static func lines(_ text: String, _ terminal: OutputTerminal) -> [String] {
    guard let columns = terminal.size?.columns else { return [text] }
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, TextWidth.columns(last) + 1 + TextWidth.columns(String(word)) <= columns {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(TextWidth.clip((lines.isEmpty ? "" : "  ") + word, to: columns))
      }
    }
    return lines
  }
}
