internal import InitModel
internal import InitTimeline
internal import InitWords

/// The row of an initializer in a plot.
struct PlotRow {
  /// The distance of a note from the end of the bar; a mark is in between.
  static let noteDistance = 16.0

  private let turn: InitializerTimeline
  private let y: Int
  private let area: PlotArea
  private let scale: PlotScale
  private let isCritical: Bool

  init(_ turn: InitializerTimeline, y: Int, area: PlotArea, scale: PlotScale, isCritical: Bool) {
    self.turn = turn
    self.y = y
    self.area = area
    self.scale = scale
    self.isCritical = isCritical
  }

  var svg: String {
    let middle = Double(y) + Double(area.rowHeight) / 2
    let baseline = XML.number(middle + area.fontSize * 0.36)
    var parts = ["<g\(isCritical ? #" class="critical""# : "")><title>\(XML.text(summary))</title>"]
    if isCritical {
      parts.append(#"<path class="diamond" d="M\#(area.margin + 1) \#(XML.number(middle - 4))l4 4l-4 4l-4 -4z"/>"#)
    }
    let name = XML.text(XML.clipped(turn.name, to: area.nameLetters))
    parts.append(#"<text class="name" x="\#(area.margin + 10)" y="\#(baseline)">\#(name)</text>"#)
    parts += bars
    let isPlain = turn.runs.last?.outcome?.known == .complete || turn.runs.isEmpty
    let x = XML.number(x(of: turn.ended) + (isPlain ? 6 : Self.noteDistance))
    parts.append(#"<text class="note" x="\#(x)" y="\#(baseline)">\#(XML.text(turn.note))</text>"#)
    return parts.joined() + "</g>"
  }

  private var bars: [String] {
    let top = Double(y) + Double(area.rowHeight) * 0.2
    let height = Double(area.rowHeight) * 0.6
    var parts: [String] = []
    func add(_ kind: String, _ from: Double, _ to: Double, isMarked: Bool = false) {
      guard to > from || kind.hasPrefix("run ") else { return }
      parts.append(Self.bar(kind, from: x(of: from), to: x(of: to), y: top, height: height, isMarked: isMarked))
    }
    add("waited", turn.opened, turn.ready)
    add("queued", turn.ready, turn.started)
    for (index, run) in turn.runs.enumerated() {
      let end = turn.end(of: run)
      let next = index + 1 < turn.runs.count ? turn.runs[index + 1].started : turn.isRetrying ? turn.ended : nil
      if let next { add("backoff", end, next) }
      // The mark of an earlier attempt needs room before the next attempt.
      add("run " + Self.outcome(of: run), run.started, end, isMarked: next.map { x(of: $0) - x(of: end) > 12 } ?? true)
    }
    return parts
  }

  private func x(of time: Double) -> Double { scale.x(time - turn.opened) }

  private var summary: String {
    var parts = ["waited \(PlotScale.words(turn.waited))", "queued \(PlotScale.words(turn.queued))"]
    parts.append("ran \(PlotScale.words(turn.running))")
    if turn.backoff > 0 { parts.append("paused \(PlotScale.words(turn.backoff))") }
    let cause = turn.runs.last?.cause.map { ": \($0)" } ?? ""
    return "\(turn.name): \(turn.outcome.rawValue)\(cause), \(parts.joined(separator: ", "))"
  }

  /// Returns the class of a run's outcome.
  static func outcome(of run: Pass.Run) -> String {
    switch run.outcome?.known {
    case .complete: "complete"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case nil: "running"
    }
  }

  /// Draws a part of a row.
  ///
  /// `isMarked` is true if the run ends with a mark: a failed run with a cross, a cancelled one with a bar, and one in flight with an
  /// arrow.
  static func bar(
    _ kind: String, from start: Double, to end: Double, y: Double, height: Double, isMarked: Bool = false
  ) -> String {
    let middle = XML.number(y + height / 2)
    guard kind != "waited" else {
      return #"<path class="waited" d="M\#(XML.number(start)) \#(middle)H\#(XML.number(end))"/>"#
    }
    let width = max(end - start, kind.hasPrefix("run ") ? 1.5 : 0.5)
    let edges = #"x="\#(XML.number(start))" y="\#(XML.number(y))" width="\#(XML.number(width))""#
    let bar = #"<rect class="\#(kind)" \#(edges) height="\#(XML.number(height))"/>"#
    guard isMarked else { return bar }
    let size = min(height / 2, 4)
    let at = "M\(XML.number(start + width + 3)) \(XML.number(y + height / 2 - size))"
    let half = XML.number(size)
    let whole = XML.number(size * 2)
    switch kind {
    case "run failed":
      return bar + #"<path class="mark failed" d="\#(at)l\#(whole) \#(whole)m-\#(whole) 0l\#(whole) -\#(whole)"/>"#
    case "run cancelled": return bar + #"<path class="mark cancelled" d="\#(at)v\#(whole)"/>"#
    case "run running": return bar + #"<path class="mark running" d="\#(at)l\#(half) \#(half)l-\#(half) \#(half)"/>"#
    default: return bar
    }
  }
}

extension InitializerTimeline {
  /// The note beside the bar: how long the initializer ran, how often, and how it ended unless it is complete.
  var note: String {
    guard let last = runs.last else { return "waiting" }
    var words = PlotScale.words(running)
    if runs.count > 1 { words += ", \(runs.count) attempts" }
    if last.outcome?.known != .complete { words += ", \(isRetrying ? "waiting" : PlotRow.outcome(of: last))" }
    if !isRetrying, let cause = last.cause { words += ": \(cause)" }
    return XML.clipped(words, to: 44)
  }
}
