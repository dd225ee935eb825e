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
  ///   - isShown: whether an initializer has a row; all have by default.
  func lines(_ status: StatusShape, now: Double, showing isShown: (InitializerShape) -> Bool = { _ in true })
    -> [String]
  {
    let situation = Situation(status, now: now)
    let header = header(situation)
    let initializers = status.initializers.filter(isShown)
    guard !initializers.isEmpty else {
      return header + ["", status.initializers.isEmpty ? "no initializers" : "no initializer matches"]
    }
    return header + [""] + rows(initializers, of: situation)
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

  private func rows(_ initializers: [InitializerShape], of situation: Situation) -> [String] {
    let now = situation.now
    // Only of those that were retried is the total more than the time of the last run.
    let hasTotal = initializers.contains { $0.total(at: now) != nil }
    let titles = ["NAME", "STATUS", "PROVIDER", "PHASE", "TIME"] + (hasTotal ? ["TOTAL"] : [])
    let cells = initializers.map { each in
      [
        TerminalText.escape(each.name), each.status.phrase,
        each.provider == .inProcess ? "in-process" : each.provider.phrase,
        each.shownPhase.phrase,
        each.elapsed(at: now).map(Phrases.duration) ?? "",
      ] + (hasTotal ? [(each.total(at: now) ?? each.elapsed(at: now)).map(Phrases.duration) ?? ""] : [])
    }
    var widths = titles.indices.map { column in
      cells.reduce(TextWidth.columns(titles[column])) { max($0, TextWidth.columns($1[column])) }
    }
    let columns = terminal.size?.columns
    if let columns { widths[0] = min(widths[0], max(12, columns / 3)) }
    let detailWidth = columns.map { max(0, $0 - widths.reduce(0) { $0 + $1 + 2 }) }

    func row(_ cells: [String], _ detail: String, _ color: Style.Color?) -> String {
      var line = ""
      for (column, cell) in cells.enumerated() {
        let fitting = TextWidth.pad(TextWidth.clip(cell, to: widths[column]), to: widths[column])
        line += (column == 1 ? style.paint(fitting, color) : fitting) + "  "
      }
      line += detailWidth.map { TextWidth.clip(detail, to: $0) } ?? detail
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
    return [row(titles, "DETAIL", nil)]
      + zip(initializers, cells).map {
        // A status that a lost worker reported isn't shown in green.
        row(
          $1, TerminalText.escape(situation.detail($0)),
          $0.hasLostWorker && $0.status.known == .complete ? .yellow : $0.status.known?.color)
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
