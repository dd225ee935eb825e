internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// A Status as text: whether the app is ready, the states, then one line per initializer.
struct StatusTable {
  /// The terminal; its width limits names and details.
  let terminal: OutputTerminal
  /// Whether there are other supervisors, so it matters whose Status it is.
  var showsManifest = false
  /// Whether all chosen names are processes without `ready`, which aren't initializers: the lines above the table show them.
  var showsOnlyProcesses = false

  private var style: Style { Style(hasColor: terminal.hasColor) }

  /// Returns the lines as UTF-8, each with a newline.
  ///
  /// `now` is the current time, in seconds since the Unix epoch, for the duration of current runs. `isShown` says whether an initializer
  /// has a row; nil for all.
  func text(_ status: Status, now: Double, showing isShown: ((Initializer) -> Bool)?) -> [UInt8] {
    let situation = Situation(status, now: now)
    var text: [UInt8] = []
    for line in header(situation) + [""] {
      text += line.utf8
      text.append(Self.newline)
    }
    let initializers = isShown.map { status.initializers.filter($0) } ?? status.initializers
    if initializers.isEmpty, showsOnlyProcesses {
      text.removeLast()
    } else if initializers.isEmpty {
      text += (status.initializers.isEmpty ? "no initializers\n" : "no initializer matches\n").utf8
    } else {
      writeRows(initializers, of: situation, to: &text)
    }
    return text
  }

  /// Returns `READY`, or `NOT READY:` with the reason and what to do.
  private func readiness(_ situation: Situation) -> [String] {
    guard let why = WhyTree.why(.ready, in: situation) else { return [""] }
    if why.status == Status.State.Name.complete.rawValue {
      let trouble =
        situation.processTrouble.map { Paragraph.lines("READY, but " + TerminalText.escape($0), terminal) } ?? ["READY"]
      return [style.paint("READY", .green) + String(trouble[0].dropFirst("READY".count))] + trouble.dropFirst()
    }
    let first = why.first
    let advice = first.advice(now: situation.now) + (first.remedy == nil ? "; initctl wait waits for it" : "")
    let title = "NOT READY"
    var lines = Paragraph.lines("\(title): \(advice)", terminal)
    if let first = lines.first, first.hasPrefix(title) {
      let color: Style.Color = why.status == Status.State.Name.failed.rawValue ? .red : .yellow
      lines[0] = style.paint(title, color) + String(first.dropFirst(title.count))
    }
    return lines
  }

  private func header(_ situation: Situation) -> [String] {
    let status = situation.status
    let now = situation.now
    let holds = status.holds == 0 ? "" : ", held by \(status.holds)"
    let uptime = Phrases.duration(status.uptime + max(0, now - status.time))
    var lines = readiness(situation)
    lines += [
      "lifecycle  \(status.lifecycle.phrase)\(holds)",
      "launch     \(status.launch.phrase(style))",
      "active     \(status.active.phrase(style))",
      "composite  \(style.paint(status.composite.state.phrase, status.composite.state.known?.color))",
      "up         \(uptime), pid \(status.pid), concurrency \(status.concurrency)",
    ]
    if showsManifest, let manifest = status.manifest {
      lines.append("manifest   \(TerminalText.escape(manifest.joined(separator: ", ")))")
    }
    for (index, worker) in status.workers.enumerated() {
      lines.append((index == 0 ? "workers    " : "           ") + worker.phrase)
    }
    for (index, process) in (status.processes ?? []).enumerated() {
      lines.append((index == 0 ? "processes  " : "           ") + process.phrase(at: now, of: status.time))
    }
    let lost = status.initializers.indices.filter { status.initializers.span[$0].hasLostWorker }.map {
      status.initializers[$0].name
    }
    if !lost.isEmpty {
      lines.append(
        "\(style.paint("lost", .yellow))       \(Phrases.list(lost)): \(Phrases.remedyForLost(lost.count))")
    }
    for warning in status.warnings ?? [] {
      lines.append("\(style.paint("warning", .yellow))    \(TerminalText.escape(warning))")
    }
    guard let columns = terminal.size?.columns else { return lines }
    return lines.map { clip($0, to: columns) }
  }

  private static let newline = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")

  /// The columns, in order.
  private static let columns: [Table.Column] = [
    .init(title: "NAME"), .init(title: "STATUS", importance: 5), .init(title: "PROVIDER", importance: 0),
    .init(title: "PHASE", importance: 1), .init(title: "TIME", importance: 4), .init(title: "TOTAL", importance: 2),
    .init(title: "DETAIL", importance: 3),
  ]
  private static let status = 1
  private static let total = 5
  private static let detail = 6
  /// The minimum width of the details, in columns.
  private static let leastDetail = 10

  /// A text of the table, and its width.
  private struct Cell {
    let text: String
    let columns: Int

    init(_ text: String) {
      self.text = text
      columns = TextWidth.columns(text)
    }
  }

  /// Writes all rows into one buffer, because there may be thousands of them.
  private func writeRows(_ initializers: [Initializer], of situation: Situation, to text: inout [UInt8]) {
    let now = situation.now
    // The total differs from the time of the last run only for initializers that were retried.
    let hasTotal = initializers.span.indices.contains { initializers.span[$0].total(at: now) != nil }
    // Row by row: an array of its own for each row would cost more than its texts.
    var cells = Self.columns.map { Cell($0.title) }
    cells.reserveCapacity(cells.count * (initializers.count + 1))
    let all = initializers.span
    for index in all.indices {
      let elapsed = all[index].elapsed(at: now)
      cells.append(Cell(TerminalText.escape(all[index].name)))
      cells.append(Cell(situation.phrase(of: all[index]) ?? all[index].status.phrase))
      cells.append(Cell(all[index].provider.phrase))
      cells.append(Cell(all[index].shownPhase.phrase))
      cells.append(Cell(elapsed.map(Phrases.duration) ?? ""))
      cells.append(Cell(hasTotal ? (all[index].total(at: now) ?? elapsed).map(Phrases.duration) ?? "" : ""))
      cells.append(Cell(TerminalText.escape(situation.detail(all[index]))))
    }
    var widths = [Int](repeating: 0, count: Self.columns.count)
    for (index, cell) in cells.enumerated() {
      widths[index % widths.count] = max(widths[index % widths.count], cell.columns)
    }
    let shown = fit(&widths, hasTotal)

    func write(_ row: Int, _ color: Style.Color?) {
      for column in shown {
        let whole = cells[row * widths.count + column]
        let width = widths[column]
        let cell = whole.columns > width ? Cell(TextWidth.clip(whole.text, to: width)) : whole
        let isLast = column == shown.last
        let padding = repeatElement(Self.space, count: isLast ? 0 : width - cell.columns + 2)
        if column == Self.status, let color {
          text += style.paint(cell.text, color).utf8
        } else {
          text += cell.text.utf8
        }
        text += padding
      }
      while text.last == Self.space { text.removeLast() }
      text.append(Self.newline)
    }
    write(0, nil)
    for index in all.indices { write(index + 1, style.hasColor ? all[index].color : nil) }
  }

  /// Makes the columns fit the terminal, and returns the shown ones.
  private func fit(_ widths: inout [Int], _ hasTotal: Bool) -> [Int] {
    let all = widths.indices.filter { hasTotal || $0 != Self.total }
    guard let available = terminal.size?.columns else { return all }
    let detail = widths[Self.detail]
    widths[Self.detail] = min(detail, Self.leastDetail)
    let (shown, name) = Table.layout(Self.columns, widths, among: all, available)
    widths[0] = name
    guard shown.last == Self.detail else { return shown }
    // A long name takes a third of the line, and more only if no detail is clipped for it.
    let both = shown.dropFirst().dropLast().reduce(available - 2) { $0 - widths[$1] - 2 }
    widths[0] = min(name, max(12, available / 3, both - detail))
    widths[Self.detail] = both - widths[0]
    return shown
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
