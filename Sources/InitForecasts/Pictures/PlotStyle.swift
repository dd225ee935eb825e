/// The colours and patterns of a plot.
enum PlotStyle {
  private static let light = Colors(
    paper: "#ffffff", text: "#1f2328", muted: "#59636e", grid: "#d8dee4", stripe: "#f6f8fa", complete: "#2da44e",
    failed: "#cf222e", cancelled: "#818b98", running: "#0969da", queued: "#bf8700", critical: "#8250df")
  private static let dark = Colors(
    paper: "#0d1117", text: "#e6edf3", muted: "#9198a1", grid: "#2a313c", stripe: "#141a22", complete: "#3fb950",
    failed: "#f85149", cancelled: "#7d8590", running: "#58a6ff", queued: "#d29922", critical: "#bc8cff")

  /// The style sheet.
  static let sheet = """
    <style>
    text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
    .title{font-size:18px;font-weight:600}
    .axis{font-size:11px}
    .end{font-weight:600}
    .name,.note,.axis{font-variant-numeric:tabular-nums}
    .note{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}
    .critical .name{font-weight:600}
    .waited{fill:none;stroke-width:1.25;stroke-dasharray:1.5 4}
    .queued,.backoff{stroke-width:1}
    .run{stroke:none}
    .mark{fill:none;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
    .grid{stroke-width:1}
    .edge{stroke-width:1}
    .boundary{stroke-dasharray:6 4}
    .link{fill:none;stroke-width:1.5}
    .critical .run{stroke-width:1.5}
    \(light.rules)
    @media (prefers-color-scheme:dark){
    \(dark.rules)
    }
    </style>
    """

  /// The patterns, which distinguish parts without colours.
  static let patterns = """
    <defs>
    <pattern id="queued" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
    <path class="hatch-queued" d="M1 0V5"/></pattern>
    <pattern id="backoff" width="5" height="5" patternUnits="userSpaceOnUse">\
    <circle class="dot-backoff" cx="2.5" cy="2.5" r="1"/></pattern>
    <pattern id="cancelled" width="4" height="4" patternUnits="userSpaceOnUse">\
    <path class="hatch-cancelled" d="M1 0V4"/></pattern>
    <pattern id="held" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
    <path class="grid" d="M1 0V6"/></pattern>
    </defs>
    """

  private struct Colors {
    let paper, text, muted, grid, stripe, complete, failed, cancelled, running, queued, critical: String

    var rules: String {
      """
      .paper{fill:\(paper)}.title,.name{fill:\(text)}.muted,.axis,.note{fill:\(muted)}.note{stroke:\(paper)}
      .grid{stroke:\(grid)}.edge{stroke:\(muted)}.stripe{fill:\(stripe)}.held{fill:url(#held)}
      .waited{stroke:\(cancelled)}.queued{fill:url(#queued);stroke:\(queued)}.hatch-queued{stroke:\(queued);stroke-width:1.5}
      .backoff{fill:url(#backoff);stroke:\(failed)}.dot-backoff{fill:\(failed)}
      .run.complete{fill:\(complete)}.run.failed{fill:\(failed)}.run.running{fill:\(running)}
      .run.cancelled{fill:url(#cancelled);stroke:\(cancelled);stroke-width:1}.hatch-cancelled{stroke:\(cancelled);stroke-width:2}
      .mark.failed{stroke:\(failed)}.mark.cancelled{stroke:\(cancelled)}.mark.running{stroke:\(running)}
      .critical .run{stroke:\(critical)}.critical .name,.diamond{fill:\(critical)}.link{stroke:\(critical)}
      """
    }
  }
}
