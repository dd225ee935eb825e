internal import InitForecasts
internal import InitText
internal import InitTimeline
internal import InitWords

/// A plan as text: a numbered line for each initializer.
struct PlanTable {
  private let graph: DependencyGraph
  private let concurrency: Int
  private let terminal: OutputTerminal

  init(_ graph: DependencyGraph, concurrency: Int, terminal: OutputTerminal) {
    self.graph = graph
    self.concurrency = concurrency
    self.terminal = terminal
  }

  /// Returns the lines of a phase, without newlines.
  ///
  /// `idle` is the text if there are no names.
  func lines(_ phase: Phase, _ names: [String], idle: String) -> [String] {
    guard !names.isEmpty else { return ["\(phase.rawValue): \(idle)"] }
    let title = "\(phase.rawValue): \(names.count) initializer\(names.count == 1 ? "" : "s"), \(concurrency) at a time"
    let rows = names.enumerated().map { index, name -> [String] in
      let node = graph[name].map { graph.nodes[$0] }
      let needs = (node?.needs ?? []).map { TerminalText.escape(graph.nodes[$0].name) }
      return [
        "\(index + 1)", TerminalText.escape(name), node?.shape.details[1] ?? "",
        needs.isEmpty ? "" : "after \(needs.joined(separator: ", "))",
      ]
    }
    let widths = (0..<3).map { column in rows.reduce(0) { max($0, TextWidth.columns($1[column])) } }
    let columns = terminal.size?.columns
    return [title]
      + rows.map { row in
        let number = String(repeating: " ", count: widths[0] - row[0].count) + row[0]
        var line =
          "  \(number)  \(TextWidth.pad(row[1], to: widths[1]))  \(TextWidth.pad(row[2], to: widths[2]))  \(row[3])"
        while line.hasSuffix(" ") { line.removeLast() }
        return columns.map { TextWidth.clip(line, to: $0) } ?? line
      }
  }
}
