internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

// Invariants:
//
// 1. It has exactly as many lines as the terminal, and no line is wider than it.
// 2. Text of other programs is escaped.
// 3. Only lines that are shown are composed, because there may be thousands of initializers.

/// The screen of `watch` at one moment.
struct WatchScene {
  /// The minimum height for a last line that lists the keys.
  private static let heightForHints = 8
  /// How long the screen shows that there is a new connection, in seconds.
  private static let timeOfNews = 10.0

  /// The lines, from the top.
  private(set) var lines: [ScreenLine] = []
  /// The list, for the next key.
  private(set) var list = WatchList()
  /// How many lines of the list, or of the log, are shown.
  private(set) var page = 0

  private let model: WatchModel
  private let now: Double
  private let situation: Situation
  private let size: OutputTerminal.Size
  private let hasKeys: Bool
  private let hasColor: Bool

  /// Draws the model for a terminal.
  ///
  /// `view` is the view of the user; it is scrolled so that the selected entry is shown. `now` is the present, in seconds since the
  /// Unix epoch. `hasKeys` says whether keys can be read.
  init(
    _ model: WatchModel, _ view: inout WatchView, _ terminal: OutputTerminal, now: Double, hasKeys: Bool
  ) {
    self.model = model
    self.hasKeys = hasKeys
    self.hasColor = terminal.hasColor
    let size = terminal.size ?? OutputTerminal.Size(columns: 80, rows: 24)
    self.size = size
    self.now = now
    // The current state of a lost or silent supervisor is unknown.
    situation = Situation(model.status, usual: model.usual, now: model.link.end.map { min(now, $0) } ?? now)
    switch view.mode {
    case .one(let name): showOne(name, &view)
    case .keys: lines = Self.keys.map { ScreenLine(TextWidth.clip($0, to: size.columns)) }
    case .list, .filtering: showList(&view)
    }
    // Invariant 1.
    lines = Array(lines.prefix(size.rows))
    while lines.count < size.rows { lines.append(ScreenLine()) }
  }

  // MARK: The list

  private mutating func showList(_ view: inout WatchView) {
    let hasFooter =
      view.mode == .filtering || !view.filter.isEmpty || view.asked != nil || view.message != nil
      || hasKeys && size.rows >= Self.heightForHints
    lines = header(atMost: max(1, (size.rows - (hasFooter ? 1 : 0)) / 2))
    page = max(0, size.rows - lines.count - (hasFooter ? 1 : 0))
    let outputLines = max(1, min(RunOutput.failedLines, size.rows / 5))
    list = WatchList(situation, model, view, outputLines: outputLines, room: page)
    view.settle(in: list, page: page)
    lines += body(view)
    guard hasFooter, size.rows > 1 else { return }
    while lines.count < size.rows - 1 { lines.append(ScreenLine()) }
    lines.append(footer(view))
  }

  /// Returns the header, with the most important lines first.
  private func header(atMost limit: Int) -> [ScreenLine] {
    let counts = CountsLine(situation).lines(size.columns)
    // With one line, there is only room for the worse news.
    if let notice, limit == 1 { return [notice] }
    var header = Array(counts.prefix(max(1, limit - (notice == nil ? 0 : 1))))
    if let notice { header.append(notice) }
    let readiness = WhyTree.why(.ready, in: situation).map(self.readiness) ?? []
    header += readiness
    header.append(states)
    // The second line of the readiness replaces the empty line. So the list keeps its position when a duration gets longer.
    if readiness.count < 2 { header.append(ScreenLine()) }
    return Array(header.prefix(limit))
  }

  /// Returns the readiness in one line, or two.
  private func readiness(_ why: Explanation) -> [ScreenLine] {
    if why.status == Status.State.Name.complete.rawValue { return [ScreenLine("READY", .green)] }
    let title = "NOT READY"
    var lines = Paragraph.lines("\(title): " + why.first.advice(now: situation.now), columns: size.columns)
    if lines.count > 2 { lines[1] = TextWidth.clip(lines[1] + " …", to: size.columns) }
    return lines.prefix(2).map { text in
      var line = ScreenLine()
      let isTitle = text.hasPrefix(title)
      if isTitle { line.add(title, why.status == Status.State.Name.failed.rawValue ? .red : .yellow) }
      line.add(isTitle ? String(text.dropFirst(title.count)) : text)
      return line
    }
  }

  private var states: ScreenLine {
    let status = model.status
    var line = ScreenLine("lifecycle \(status.lifecycle.phrase)")
    for (name, state) in [("launch", status.launch), ("active", status.active), ("composite", status.composite)] {
      line.add(", \(name) ")
      line.add(state.state.phrase, state.state.known?.color)
    }
    if model.hasOthers, let manifest = status.manifest?.first { line.add("  \(TerminalText.escape(manifest))", .gray) }
    return line
  }

  /// The message about the connection.
  private var notice: ScreenLine? {
    switch model.link {
    case .up: return nil
    case .silent(let since), .lost(let since, wasSilent: true):
      let silence = "no news for \(Phrases.duration(max(0, now - since))): the supervisor doesn't answer"
      let isWaiting = if case .lost = model.link { true } else { false }
      return ScreenLine(silence + (isWaiting ? "; waiting for it at \(TerminalText.escape(model.path))" : ""), .red)
    case .lost: return ScreenLine(TerminalText.escape(Reconnection.lost(model.path)), .red)
    case .renewed(let since, let isNew):
      guard situation.now - since < Self.timeOfNews else { return nil }
      return ScreenLine(Reconnection.renewed(model.status.pid, isNew: isNew), .green)
    }
  }

  private func footer(_ view: WatchView) -> ScreenLine {
    let isWhole = list.height <= page || page == 0
    let part = isWhole ? "" : "  lines \(view.top + 1)–\(min(view.top + page, list.height)) of \(list.height)"
    if let answer = answer(view) { return answer }
    var line = ScreenLine()
    if view.mode == .filtering {
      line.add("/\(TerminalText.escape(view.filter))_   Enter accepts, Escape clears")
    } else if !view.filter.isEmpty {
      line.add("filter: \(TerminalText.escape(view.filter))   / changes it, Escape clears it", .yellow)
    } else {
      line.add(
        Self.hints(
          size.columns - TextWidth.columns(part), folds: view.folds(list),
          hasProcesses: model.status.processes?.isEmpty == false), .gray)
    }
    line.add(part, .gray)
    return line
  }

  /// The question about a process, or what happened after it.
  private func answer(_ view: WatchView) -> ScreenLine? {
    if let asked = view.asked { return ScreenLine(TextWidth.clip(asked.question, to: size.columns), .yellow) }
    return view.message.map { ScreenLine(TextWidth.clip($0.text, to: size.columns), $0.isError ? .red : .green) }
  }

  /// Returns the keys, as many as fit.
  ///
  /// Returns the line of keys; the key that ends the program is never left out.
  private static func hints(_ columns: Int, folds: Bool, hasProcesses: Bool) -> String {
    let all = ["j k move", "Enter look", "/ filter", folds ? "f fold" : "f unfold", "? keys", "q quit"]
    let whole = hasProcesses ? [Array(all.dropLast(2)) + [Self.processHints, all[4], all[5]]] : []
    let shorter = whole + [all, [0, 1, 2, 4, 5].map { all[$0] }, [1, 4, 5].map { all[$0] }, [4, 5].map { all[$0] }]
    return shorter.map { $0.joined(separator: "  ") }.first { $0.utf8.count <= columns } ?? all[5]
  }

  /// What each key does.
  private static let keys = [
    "j k          move, or scroll an output; so do the arrows",
    "PgUp PgDn    a page up or down; Space, too",
    "g G          the first and the last line; Home and End, too",
    "Enter        why an initializer has its status, and its output",
    "/            filter by name; Escape clears the filter",
    "f            fold or unfold the statuses",
    "s            stop a process, or start it again",
    "r            restart a process",
    "x            stop a process so that you can run it by hand",
    "q            back; in the list: quit",
    "Any key closes this.",
  ]

  private static let processHints = "s stop  r restart  x external"

  private func body(_ view: WatchView) -> [ScreenLine] {
    guard !list.items.isEmpty else {
      return [ScreenLine(model.status.initializers.isEmpty ? "no initializers" : "no initializer matches", .gray)]
    }
    let first = (list.starts.firstIndex { $0 > view.top } ?? list.items.count) - 1
    let beyond = list.starts.firstIndex { $0 >= view.top + page } ?? list.items.count
    let indexes = max(0, first)..<max(first, beyond)
    let rows = WatchRows(list.items[indexes], situation, columns: size.columns)
    var body: [ScreenLine] = []
    for index in indexes {
      let item = list.items[index]
      let isSelected = hasKeys && index == view.index
      for (number, line) in rows.lines(of: item).enumerated() {
        let shown = list.starts[index] + number
        guard shown >= view.top, shown < view.top + page else { continue }
        body.append(number == 0 ? mark(line, isSelected) : line)
      }
    }
    return body
  }

  /// Marks the selected line; the mark needs no colour.
  private func mark(_ line: ScreenLine, _ isSelected: Bool) -> ScreenLine {
    guard isSelected else { return line }
    guard !hasColor else {
      var line = line
      line.isReversed = true
      return line
    }
    var marked = ScreenLine(">")
    for (index, span) in line.spans.enumerated() { marked.add(index == 0 ? String(span.text.dropFirst()) : span.text) }
    return marked
  }

  // MARK: One initializer

  private mutating func showOne(_ name: String, _ view: inout WatchView) {
    let terminal = OutputTerminal(size: size, hasColor: hasColor)
    let why = WhyTree.why(.initializer(name), in: situation)?.lines(terminal, now: situation.now)
    let reason = why ?? ["\(TerminalText.escape(name)) is not declared any more"]
    if let notice { lines.append(notice) }
    let log = logLines
    let answer = answer(view)
    let hasHints = answer != nil || hasKeys && size.rows >= Self.heightForHints
    // The reason gets half of the rows, and the rows that the log leaves empty.
    let left = size.rows - lines.count - 1 - log.count - (hasHints ? 1 : 0)
    let room = max(1, size.rows / 2, left)
    lines += reason.prefix(reason.count > room ? room - 1 : room).map { ScreenLine($0) }
    if reason.count > room { lines.append(ScreenLine("… \(reason.count - room + 1) more lines", .gray)) }
    page = max(0, size.rows - lines.count - 1 - (hasHints ? 1 : 0))
    view.settle(logLines: log.count, page: page)
    let end = log.count - view.back
    let shown = max(0, end - page)..<max(0, end)
    let range = log.count > page ? ", lines \(shown.lowerBound + 1)–\(shown.upperBound) of \(log.count)" : ""
    let title = model.log == nil ? "reading its output …" : log.isEmpty ? "no output" : "output\(range):"
    lines.append(ScreenLine(title, .gray))
    lines += log[shown]
    guard hasHints else { return }
    while lines.count < size.rows - 1 { lines.append(ScreenLine()) }
    let isProcess = model.status.processes?.contains { $0.name == name } == true
    let hints = "j k scroll  PgUp PgDn" + (isProcess ? "  " + Self.processHints : "") + "  ? keys  q back"
    lines.append(answer ?? ScreenLine(TextWidth.clip(hints, to: size.columns), .gray))
  }

  /// The log of the initializer, with a line before each run if there are several.
  private var logLines: [ScreenLine] {
    let log = model.log ?? []
    let hasSeveral = log.contains { $0.run != log.first?.run }
    var lines: [ScreenLine] = []
    var run: Int? = nil
    for each in log {
      if hasSeveral, each.run != run {
        let attempt = each.attempt.map { ", attempt \($0)" } ?? ""
        lines.append(ScreenLine("-- run \(each.run)\(attempt), \(Phrases.moment(each.time))", .gray))
      }
      run = each.run
      lines.append(ScreenLine("  " + TerminalText.output(each.line)))
    }
    return lines
  }
}
