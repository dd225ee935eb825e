internal import InitText

/// A table for people: aligned, and as wide as the terminal at most.
struct Table {
  /// A column.
  struct Column {
    let title: String
    /// Whether the cells are aligned to the right, as numbers are.
    var isNumber = true
    /// Columns with smaller numbers are left out first if the terminal is too narrow.
    ///
    /// The first column always stays.
    var importance = 0
  }

  /// A cell's text, without control characters, and its colour.
  struct Cell: ExpressibleByStringInterpolation {
    let text: String
    var color: Style.Color?

    init(_ text: String, _ color: Style.Color? = nil) {
      self.text = text
      self.color = color
    }

    init(stringLiteral text: String) { self.init(text) }
  }

  /// The columns; the first one is clipped if it is too long.
  let columns: [Column]
  /// The rows, with a cell for each column.
  var rows: [[Cell]] = []

  /// Returns the lines, without newlines; with titles unless there are no rows.
  func lines(_ terminal: OutputTerminal) -> [String] {
    guard !rows.isEmpty else { return [] }
    let style = Style(hasColor: terminal.hasColor)
    let widths = columns.indices.map { column in
      rows.reduce(TextWidth.columns(columns[column].title)) { max($0, TextWidth.columns($1[column].text)) }
    }
    let (shown, nameWidth) = Self.layout(columns, widths, among: Array(columns.indices), terminal.size?.columns)
    func width(_ column: Int) -> Int { column == 0 ? nameWidth : widths[column] }
    func line(_ cells: [Cell]) -> String {
      var line = ""
      var margin = ""
      for column in shown {
        let text = TextWidth.clip(cells[column].text, to: width(column))
        let padding = String(repeating: " ", count: width(column) - TextWidth.columns(text))
        let painted = style.paint(text, cells[column].color)
        line += margin + (columns[column].isNumber ? padding + painted : painted)
        margin = (columns[column].isNumber ? "" : padding) + "  "
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
    return [line(columns.map { Cell($0.title) })] + rows.map(line)
  }

  /// Returns which columns fit, and how wide the first one is: it gets narrower before others are left out.
  ///
  /// `widths` are the widths of all columns. `all` is the columns that are shown if they fit; the first one always is. `available` is the
  /// terminal's width; nil if everything fits.
  static func layout(
    _ columns: [Column], _ widths: [Int], among all: [Int], _ available: Int?
  ) -> (shown: [Int], first: Int) {
    var shown = all
    guard let available, let first = widths.first else { return (shown, widths.first ?? 0) }
    func room() -> Int { shown.dropFirst().reduce(available) { $0 - widths[$1] - 2 } }
    let least = min(first, max(12, available / 3))
    while shown.count > 1, room() < least,
      let dropped = shown.dropFirst().min(by: { columns[$0].importance < columns[$1].importance })
    {
      shown.removeAll { $0 == dropped }
    }
    return (shown, min(first, max(1, room())))
  }
}
