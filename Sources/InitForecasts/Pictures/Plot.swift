internal import InitModel
package import InitTimeline
internal import InitWords

/// A pass as an SVG picture: a row for each initializer, from the opening of the pass to its end.
///
/// The colours follow the reader's preference for light or dark. Each outcome also has a shape, and each part a pattern, so no meaning
/// depends on colours alone. The size is linear in the number of runs.
package struct Plot: Sendable {
  private let timeline: Timeline
  private let path: [CriticalStep]
  private let onPath: Set<InitializerKey>
  private let caption: String
  private let area: PlotArea
  private let scale: PlotScale

  /// Draws the picture of a pass.
  ///
  /// `caption` is a short text about the pass, e.g. when it opened.
  package init(_ timeline: Timeline, caption: String = "") {
    self.timeline = timeline
    self.caption = caption
    path = CriticalPath(timeline).steps
    onPath = Set(path.map { InitializerKey($0.name, $0.phase) })
    area = PlotArea(timeline)
    scale = PlotScale(duration: timeline.duration, from: area.start, to: area.end)
  }

  /// The document.
  package var svg: String {
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(area.width) \(area.height)" width="\(area.width)" \
      height="\(area.height)" role="img" font-size="\(area.fontSize)">
      """,
      "<title>\(XML.text(title))</title>", PlotStyle.sheet, PlotStyle.patterns,
      #"<rect class="paper" width="100%" height="100%"/>"#,
    ]
    lines += header + legend + stripes + grid + connectors
    lines += timeline.initializers.enumerated().map { index, turn in
      PlotRow(
        turn, y: area.y(of: index), area: area, scale: scale,
        isCritical: onPath.contains(InitializerKey(turn.name, turn.phase))
      ).svg
    }
    lines.append("</svg>\n")
    return lines.joined(separator: "\n")
  }

  private var title: String {
    let phase = timeline.pass.phase.known?.rawValue ?? timeline.pass.phase.rawValue
    let duration = PlotScale.words(timeline.duration)
    let outcome =
      timeline.delay
      ?? (timeline.pass.duration == nil
        ? "has been running for \(duration)" : "\(timeline.outcome.rawValue) after \(duration)")
    if let joint = timeline.joint {
      return "Passes \(joint.launch.pass) and \(joint.active.pass) (launch and active) \(outcome)"
    }
    return "Pass \(timeline.pass.pass) (\(phase)) \(outcome)"
  }

  private var header: [String] {
    var parts = caption.isEmpty ? [] : [caption]
    parts.append("\(timeline.initializers.count) initializer\(timeline.initializers.count == 1 ? "" : "s")")
    if let concurrency = timeline.pass.concurrency { parts.append("\(concurrency) at a time") }
    if let boundary = timeline.boundary {
      parts.append("launch complete after \(PlotScale.words(boundary - timeline.opened))")
    }
    if timeline.delay == nil, timeline.held > 0.0005 {
      parts.append("held for \(PlotScale.words(timeline.held)) before it could begin")
    }
    if let error = timeline.pass.error { parts.append(error.message) }
    let subtitle = XML.text(XML.clipped(parts.joined(separator: " · "), to: 170))
    return [
      #"<text class="title" x="\#(area.margin)" y="30">\#(XML.text(title))</text>"#,
      #"<text class="muted" x="\#(area.margin)" y="50" font-size="12">\#(subtitle)</text>"#,
    ]
  }

  /// The parts and outcomes that occur in this picture.
  private var legend: [String] {
    let turns = timeline.initializers
    let outcomes = Set(turns.flatMap(\.runs).map { PlotRow.outcome(of: $0) })
    var samples: [(kind: String, label: String)] = []
    if turns.contains(where: { $0.waited > 0 }) { samples.append(("waited", "waited for dependencies")) }
    if turns.contains(where: { $0.queued > 0 }) { samples.append(("queued", "queued")) }
    for outcome in ["complete", "failed", "cancelled", "running"] where outcomes.contains(outcome) {
      samples.append(("run \(outcome)", outcome))
    }
    if turns.contains(where: { $0.backoff > 0 }) { samples.append(("backoff", "pause between attempts")) }
    if !path.isEmpty { samples.append(("critical", "critical path")) }
    var x = Double(area.margin)
    return samples.map { sample in
      defer { x += 33 + XML.width(of: sample.label, size: 12) + 22 }
      let mark =
        sample.kind == "critical"
        ? #"<path class="diamond" d="M\#(XML.number(x + 20)) 66l5 5l-5 5l-5 -5z"/>"#
        : PlotRow.bar(
          sample.kind, from: x,
          to: x + (["run failed", "run cancelled", "run running"].contains(sample.kind) ? 16 : 26), y: 66, height: 10,
          isMarked: true)
      let text = XML.text(sample.label)
      return mark + #"<text class="muted" x="\#(XML.number(x + 33))" y="75" font-size="12">\#(text)</text>"#
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
    let start = XML.number(area.start)
    let end = XML.number(area.end)
    let ending = timeline.pass.duration == nil ? "now" : timeline.outcome.rawValue
    for x in [start, end] { lines.append(#"<path class="edge" d="M\#(x) \#(area.top)V\#(area.bottom)"/>"#) }
    // The end has a label if there is room beside the last tick.
    let room = area.end - (scale.ticks.last.map { scale.x($0.time) } ?? area.start)
    for y in area.axes where room > 60 {
      let label = PlotScale.words(timeline.duration)
      lines.append(#"<text class="axis end" x="\#(end)" y="\#(y)" text-anchor="middle">\#(label)</text>"#)
    }
    lines.append(
      PlotRow.bar(
        "run \(ending == "now" ? "running" : ending)", from: area.start, to: area.end, y: Double(area.top - 4),
        height: 4))
    return lines + boundary
  }

  /// The line between launch and the active pass, if both are shown.
  private var boundary: [String] {
    guard let boundary = timeline.boundary else { return [] }
    let x = XML.number(scale.x(boundary - timeline.opened))
    return [
      #"<path class="edge boundary" d="M\#(x) \#(area.top - 4)V\#(area.bottom)"><title>launch is complete</title></path>"#
    ]
  }

  /// Vertical lines from the end of each step of the critical path to the row of the next step.
  private var connectors: [String] {
    let rows = Dictionary(timeline.initializers.enumerated().map { (InitializerKey($1.name, $1.phase), $0) }) {
      first, _ in first
    }
    var moment = 0.0
    return zip(path, path.dropFirst()).compactMap { step, next in
      moment += step.share
      guard let from = rows[InitializerKey(step.name, step.phase)],
        let to = rows[InitializerKey(next.name, next.phase)], from != to
      else { return nil }
      let x = XML.number(scale.x(moment))
      let begin = area.middle(of: from)
      let end = area.middle(of: to)
      return #"<path class="link" d="M\#(x) \#(XML.number(begin))V\#(XML.number(end))"/>"#
    }
  }
}
