internal import InitWire

/// A pass as an SVG picture: a row for each initializer, from the opening of the pass to its end.
///
/// The colours follow the reader's preference for light or dark. Each outcome also has a shape, and each part a pattern, so that nothing depends
/// on colours alone. The size is linear in the number of runs.
public struct Plot: Sendable {
  private let timeline: Timeline
  private let path: [CriticalPath.Step]
  private let onPath: Set<String>
  private let caption: String
  private let area: PlotArea
  private let scale: PlotScale

  /// The picture of a pass.
  ///
  /// - Parameter caption: a short text about the pass, e.g. when it opened.
  public init(_ timeline: Timeline, caption: String = "") {
    self.timeline = timeline
    self.caption = caption
    path = CriticalPath(timeline).steps
    onPath = Set(path.map(\.name))
    area = PlotArea(timeline)
    scale = PlotScale(duration: timeline.duration, from: area.start, to: area.end)
  }

  /// The document.
  public var svg: String {
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(area.width) \(area.height)" width="\(area.width)" \
      height="\(area.height)" role="img" font-size="\(area.fontSize)">
      """,
      "<title>\(XML.text(title))</title>", PlotStyle.sheet, PlotStyle.patterns,
      #"<rect class="paper" width="100%" height="100%"/>"#,
    ]
    lines += header + legend + stripes + grid
    lines += timeline.initializers.enumerated().map { PlotRow(plot: self, turn: $1, y: area.y(of: $0)).svg }
    lines += connectors
    lines.append("</svg>\n")
    return lines.joined(separator: "\n")
  }

  private var title: String {
    let phase = timeline.pass.phase.known?.rawValue ?? timeline.pass.phase.rawValue
    let duration = PlotScale.words(timeline.duration)
    let outcome =
      timeline.pass.duration == nil
      ? "has been running for \(duration)" : "\(timeline.outcome.rawValue) after \(duration)"
    return "Pass \(timeline.pass.pass) (\(phase)) \(outcome)"
  }

  private var header: [String] {
    var parts = caption.isEmpty ? [] : [caption]
    parts.append("\(timeline.initializers.count) initializer\(timeline.initializers.count == 1 ? "" : "s")")
    if let concurrency = timeline.pass.concurrency { parts.append("\(concurrency) at a time") }
    if timeline.held > 0.0005 { parts.append("held for \(PlotScale.words(timeline.held)) before it could begin") }
    if let error = timeline.pass.error { parts.append(error.message) }
    let subtitle = XML.text(XML.clipped(parts.joined(separator: " · "), to: 170))
    return [
      #"<text class="title" x="\#(area.margin)" y="30">\#(XML.text(title))</text>"#,
      #"<text class="muted" x="\#(area.margin)" y="50" font-size="12">\#(subtitle)</text>"#,
    ]
  }

  /// The parts and outcomes that occur in this picture.
  private var legend: [String] {
    let runs = timeline.initializers.flatMap(\.runs)
    let outcomes = Set(runs.map { PlotRow.outcome(of: $0) })
    var samples: [(kind: String, label: String)] = []
    if timeline.initializers.contains(where: { $0.waited > 0 }) {
      samples.append(("waited", "waited for dependencies"))
    }
    if timeline.initializers.contains(where: { $0.queued > 0 }) {
      samples.append(("queued", "queued for a place or a worker"))
    }
    for outcome in ["complete", "failed", "cancelled", "running"] where outcomes.contains(outcome) {
      samples.append(("run \(outcome)", outcome == "running" ? "running" : "ran, \(outcome)"))
    }
    if timeline.initializers.contains(where: { $0.backoff > 0 }) {
      samples.append(("backoff", "pause before the next attempt"))
    }
    if !path.isEmpty { samples.append(("critical", "critical path")) }
    var x = Double(area.margin)
    return samples.map { sample in
      defer { x += 34 + XML.width(of: sample.label, size: 12) + 20 }
      let mark =
        sample.kind == "critical"
        ? #"<path class="diamond" d="M\#(XML.number(x + 13)) 66l5 5l-5 5l-5 -5z"/>"#
        : PlotRow.bar(sample.kind, from: x, to: x + 26, y: 66, height: 10)
      return mark
        + #"<text class="muted" x="\#(XML.number(x + 33))" y="75" font-size="12">\#(XML.text(sample.label))</text>"#
    }
  }

  /// A light background for every other row, and the band of the time before the opening.
  private var stripes: [String] {
    var lines = timeline.initializers.indices.filter { $0 % 2 == 1 }.map {
      #"<rect class="stripe" y="\#(area.y(of: $0))" width="100%" height="\#(area.rowHeight)"/>"#
    }
    if area.heldWidth > 0 {
      let x = area.start - area.heldWidth
      lines.append(
        #"<rect class="held" x="\#(XML.number(x))" y="\#(area.top)" width="\#(XML.number(area.heldWidth))" height="\#(area.bottom - area.top)"/>"#
      )
      lines.append(
        #"<text class="axis" x="\#(XML.number(x + area.heldWidth / 2))" y="\#(area.top - 8)" text-anchor="middle">held</text>"#
      )
    }
    return lines
  }

  /// The time axis, above and, if there are many rows, below.
  private var grid: [String] {
    var lines: [String] = []
    for tick in scale.ticks {
      let x = XML.number(scale.x(tick.time))
      lines.append(#"<path class="grid" d="M\#(x) \#(area.top)V\#(area.bottom)"/>"#)
      for y in area.axes {
        lines.append(#"<text class="axis" x="\#(x)" y="\#(y)" text-anchor="middle">\#(tick.label)</text>"#)
      }
    }
    let (start, end) = (XML.number(area.start), XML.number(scale.x(timeline.duration)))
    let ending = timeline.pass.duration == nil ? "now" : timeline.outcome.rawValue
    lines.append(
      #"<path class="edge" d="M\#(start) \#(area.top)V\#(area.bottom)"/><path class="edge \#(ending)" d="M\#(end) \#(area.top)V\#(area.bottom)"/>"#
    )
    lines.append(
      PlotRow.bar(
        "run " + (timeline.pass.duration == nil ? "running" : timeline.outcome.rawValue), from: area.start,
        to: scale.x(timeline.duration), y: Double(area.top - 4), height: 4))
    return lines
  }

  /// Vertical lines from the end of each step of the critical path to the row of the next one.
  private var connectors: [String] {
    let rows = Dictionary(timeline.initializers.enumerated().map { ($1.name, $0) }) { first, _ in first }
    var moment = 0.0
    return zip(path, path.dropFirst()).compactMap { step, next in
      moment += step.share
      guard let from = rows[step.name], let to = rows[next.name], from != to else { return nil }
      let x = XML.number(scale.x(moment))
      let (begin, end) = (area.middle(of: from), area.middle(of: to))
      return #"<path class="link" d="M\#(x) \#(XML.number(begin))V\#(XML.number(end))"/>"#
    }
  }
}

/// The row of an initializer.
private struct PlotRow {
  let plot: Plot
  let turn: InitializerTimeline
  let y: Int

  private var area: PlotArea { plot.rowArea }
  private var isCritical: Bool { plot.isCritical(turn.name) }

  var svg: String {
    let text = Double(y) + Double(area.rowHeight) / 2 + area.fontSize * 0.36
    let mark = Double(y) + Double(area.rowHeight) / 2
    var parts = ["<g\(isCritical ? #" class="critical""# : "")><title>\(XML.text(summary))</title>"]
    if isCritical {
      parts.append(#"<path class="diamond" d="M\#(area.margin + 1) \#(XML.number(mark - 4))l4 4l-4 4l-4 -4z"/>"#)
    }
    let name = XML.text(XML.clipped(turn.name, to: area.nameLetters))
    parts.append(#"<text class="name" x="\#(area.margin + 10)" y="\#(XML.number(text))">\#(name)</text>"#)
    parts += bars
    parts.append(note(at: text))
    return parts.joined() + "</g>"
  }

  private var bars: [String] {
    let top = Double(y) + Double(area.rowHeight) * 0.2
    let height = Double(area.rowHeight) * 0.6
    func part(_ kind: String, _ from: Double, _ to: Double) -> String? {
      guard to > from || kind.hasPrefix("run") else { return nil }
      return Self.bar(kind, from: plot.x(from), to: plot.x(to), y: top, height: height)
    }
    var parts = [part("waited", turn.opened, turn.ready), part("queued", turn.ready, turn.started)]
    var last: Double?
    for run in turn.runs {
      if let last { parts.append(part("backoff", last, run.started)) }
      let end = turn.end(of: run)
      parts.append(part("run " + Self.outcome(of: run), run.started, end))
      last = end
    }
    if let last { parts.append(part("backoff", last, turn.ended)) }
    return parts.compactMap(\.self)
  }

  /// What stands beside the bar: how long it ran, or why it failed.
  private func note(at y: Double) -> String {
    var words = turn.runs.isEmpty ? "waits" : PlotScale.words(turn.running)
    if turn.runs.count > 1 { words += ", \(turn.runs.count) attempts" }
    if let last = turn.runs.last, last.outcome?.known != .complete {
      let why = last.cause.map { ": \($0)" } ?? ""
      words += ", \(Self.outcome(of: last))\(why)"
    }
    words = XML.clipped(words, to: 60)
    let width = XML.width(of: words, size: area.fontSize)
    let end = plot.x(turn.ended) + (turn.runs.last?.outcome?.known == .complete ? 6 : 14)
    let fits = end + width <= Double(area.width - 4)
    let x = fits ? end : plot.x(turn.runs.first?.started ?? turn.ready) - 6
    // Before a bar that begins early there is no room either: then it stands on the bar's end, with a halo.
    if !fits, x - width < area.start {
      return
        #"<text class="note" x="\#(area.width - 4)" y="\#(XML.number(y))" text-anchor="end">\#(XML.text(words))</text>"#
    }
    let anchor = fits ? "" : #" text-anchor="end""#
    return #"<text class="note" x="\#(XML.number(x))" y="\#(XML.number(y))"\#(anchor)>\#(XML.text(words))</text>"#
  }

  private var summary: String {
    var parts = ["waited \(PlotScale.words(turn.waited))", "queued \(PlotScale.words(turn.queued))"]
    parts.append("ran \(PlotScale.words(turn.running))")
    if turn.backoff > 0 { parts.append("paused \(PlotScale.words(turn.backoff))") }
    return "\(turn.name): \(turn.outcome.rawValue), \(parts.joined(separator: ", "))"
  }

  /// The class of a run's outcome.
  static func outcome(of run: RunShape) -> String {
    switch run.outcome?.known {
    case .complete: "complete"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case nil: "running"
    }
  }

  /// A part of a row. A failed run ends with a cross, a cancelled one with a bar, one in flight with an arrow.
  static func bar(_ kind: String, from start: Double, to end: Double, y: Double, height: Double) -> String {
    let width = max(end - start, kind.hasPrefix("run") ? 1.5 : 0.5)
    var text =
      #"<rect class="\#(kind)" x="\#(XML.number(start))" y="\#(XML.number(y))" width="\#(XML.number(width))" height="\#(XML.number(height))"/>"#
    let (x, middle) = (start + width, y + height / 2)
    let size = min(height / 2, 4)
    let at = "\(XML.number(x + 3)) \(XML.number(middle - size))"
    switch kind {
    case "run failed":
      let s = XML.number(size * 2)
      text += #"<path class="mark failed" d="M\#(at)l\#(s) \#(s)m-\#(s) 0l\#(s) -\#(s)"/>"#
    case "run cancelled": text += #"<path class="mark cancelled" d="M\#(at)v\#(XML.number(size * 2))"/>"#
    case "run running":
      let s = XML.number(size)
      text += #"<path class="mark running" d="M\#(at)l\#(s) \#(s)l-\#(s) \#(s)"/>"#
    default: break
    }
    return text
  }
}

extension Plot {
  fileprivate var rowArea: PlotArea { area }
  fileprivate func isCritical(_ name: String) -> Bool { onPath.contains(name) }
  /// The horizontal place of a time, in seconds since the Unix epoch.
  fileprivate func x(_ time: Double) -> Double { scale.x(time - timeline.opened) }
}
