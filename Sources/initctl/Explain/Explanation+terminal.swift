internal import InitModel
internal import InitText
internal import InitTimeline

extension Explanation {
  /// Returns the tree in lines that fit the terminal; one line for each node if the output isn't a terminal.
  ///
  /// `now` is the current time, in seconds since the Unix epoch. `indent` precedes every line.
  func lines(_ terminal: OutputTerminal, now: Double, indent: String = "") -> [String] {
    guard let columns = terminal.size?.columns else { return lines(now: now).map { indent + $0 } }
    var tree = tree(now: now)
    // Deep trees leave at least half of the line for text.
    if tree.contains(where: { TextWidth.columns(indent + $0.margin) * 2 > columns }) {
      tree = self.tree(now: now, isNarrow: true)
    }
    return tree.flatMap {
      Paragraph.lines($0.text, columns: columns, head: indent + $0.head, margin: indent + $0.margin)
    }
  }
}
