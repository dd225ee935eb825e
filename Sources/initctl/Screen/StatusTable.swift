internal import InitTimeline
internal import InitWire

/// A Status as text: whether the app is ready, the states, then one line per initializer.
struct StatusTable {
  /// The terminal; its width limits names and details.
  let terminal: OutputTerminal

  private var style: Style { Style(hasColor: terminal.hasColor) }

  /// The lines, without newlines.
  ///
  /// - Parameters:
  ///   - now: the current time, in seconds since the Unix epoch, for the duration of current runs.
  ///   - isShown: whether an initializer has a row; nil for all.
  func lines(_ status: StatusShape, now: Double, showing isShown: ((InitializerShape) -> Bool)? = nil) -> [String] {
    text(status, now: now, showing: isShown).split(separator: Self.newline, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The lines as UTF-8, each with a newline.
  ///
  /// - Parameters:
  ///   - now: the current time, in seconds since the Unix epoch, for the duration of current runs.
  ///   - isShown: whether an initializer has a row; nil for all.
  func text(_ status: StatusShape, now: Double, showing isShown: ((InitializerShape) -> Bool)?) -> [UInt8] {
    let situation = Situation(status, now: now)
    var text: [UInt8] = []
    for line in header(situation) + [""] {
      text += line.utf8
      text.append(Self.newline)
    }
    let initializers = isShown.map { status.initializers.filter($0) } ?? status.initializers
    if initializers.isEmpty {
      text += (status.initializers.isEmpty ? "no initializers\n" : "no initializer matches\n").utf8
    } else {
      writeRows(initializers, of: situation, to: &text)
    }
    return text
  }

  /// `READY`, or `NOT READY:` with the reason and what to do.
  private func readiness(_ situation: Situation) -> String {
    guard let why = WhyTree.why(.ready, in: situation) else { return "" }
    if why.status == StateShape.Name.complete.rawValue { return style.paint("READY", .green) }
    let first = why.first
    let advice = first.advice(now: situation.now) + (first.remedy == nil ? "; initctl wait waits for it" : "")
    return style.paint("NOT READY", why.status == StateShape.Name.failed.rawValue ? .red : .yellow) + ": " + advice
  }

  private func header(_ situation: Situation) -> [String] {
    let (status, now) = (situation.status, situation.now)
    let holds = status.holds == 0 ? "" : ", held by \(status.holds)"
    let uptime = Phrases.duration(status.uptime + max(0, now - status.time))
    var lines = [
      readiness(situation),
      "lifecycle  \(status.lifecycle.phrase)\(holds)",
      "launch     \(status.launch.phrase(style))",
      "active     \(status.active.phrase(style))",
      "composite  \(style.paint(status.composite.state.phrase, status.composite.state.known?.color))",
      "up         \(uptime), pid \(status.pid), concurrency \(status.concurrency)",
    ]
    for (index, worker) in status.workers.enumerated() {
      lines.append((index == 0 ? "workers    " : "           ") + worker.phrase)
    }
    for (index, process) in (status.processes ?? []).enumerated() {
      lines.append((index == 0 ? "processes  " : "           ") + process.phrase(at: now, of: status.time))
    }
    let lost = status.initializers.filter(\.hasLostWorker).map(\.name)
    if !lost.isEmpty {
      lines.append(
        "\(style.paint("lost", .yellow))       \(Phrases.list(lost)): restart the workers that provided them")
    }
    for warning in status.warnings ?? [] {
      lines.append("\(style.paint("warning", .yellow))    \(TerminalText.escape(warning))")
    }
    guard let columns = terminal.size?.columns else { return lines }
    return lines.map { clip($0, to: columns) }
  }

  private static let newline = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")

  /// A text of the table, and its width.
  private struct Cell {
    let text: String
    let columns: Int

    init(_ text: String) { (self.text, columns) = (text, TextWidth.columns(text)) }
  }

  /// Writes all rows into one buffer, because there may be thousands of them.
  private func writeRows(_ initializers: [InitializerShape], of situation: Situation, to text: inout [UInt8]) {
    let now = situation.now
    // Only of those that were retried is the total more than the time of the last run.
    let hasTotal = initializers.contains { $0.total(at: now) != nil }
    let titles = (["NAME", "STATUS", "PROVIDER", "PHASE", "TIME"] + (hasTotal ? ["TOTAL"] : [])).map(Cell.init)
    let rows = initializers.map { each in
      let elapsed = each.elapsed(at: now)
      let cells = [
        Cell(TerminalText.escape(each.name)), Cell(each.status.phrase),
        Cell(each.provider == .inProcess ? "in-process" : each.provider.phrase), Cell(each.shownPhase.phrase),
        Cell(elapsed.map(Phrases.duration) ?? ""),
      ]
      return hasTotal ? cells + [Cell((each.total(at: now) ?? elapsed).map(Phrases.duration) ?? "")] : cells
    }
    var widths = titles.map(\.columns)
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.columns) }
    }
    let columns = terminal.size?.columns
    if let columns { widths[0] = min(widths[0], max(12, columns / 3)) }
    let detailWidth = columns.map { max(0, $0 - widths.reduce(0) { $0 + $1 + 2 }) }

    func write(_ row: [Cell], _ detail: String, _ color: Style.Color?) {
      for (column, cell) in row.enumerated() {
        let cell = cell.columns > widths[column] ? Cell(TextWidth.clip(cell.text, to: widths[column])) : cell
        let padding = repeatElement(Self.space, count: widths[column] - cell.columns)
        if column == 1, let color, style.hasColor {
          text += style.paint(cell.text + String(decoding: padding, as: UTF8.self), color).utf8
        } else {
          text += cell.text.utf8
          text += padding
        }
        text.append(Self.space)
        text.append(Self.space)
      }
      text += (detailWidth.map { TextWidth.clip(detail, to: $0) } ?? detail).utf8
      while text.last == Self.space { text.removeLast() }
      text.append(Self.newline)
    }
    write(titles, "DETAIL", nil)
    func color(_ each: InitializerShape) -> Style.Color? {
      // A status that a lost worker reported isn't shown in green.
      each.hasLostWorker && each.status == .complete ? .yellow : each.status.known?.color
    }
    for (place, row) in rows.enumerated() {
      write(row, TerminalText.escape(situation.detail(initializers[place])), color(initializers[place]))
    }
  }

  /// Clips a line that may have colours; these take no columns, and are dropped if the line is too long.
  private func clip(_ line: String, to columns: Int) -> String {
    var plain = ""
    var isInEscape = false
    for scalar in line.unicodeScalars {
      if scalar == "\u{1B}" {
        isInEscape = true
      } else if !isInEscape {
        plain.unicodeScalars.append(scalar)
      } else if scalar == "m" {
        isInEscape = false
      }
    }
    return TextWidth.columns(plain) <= columns ? line : TextWidth.clip(plain, to: columns)
  }
}
