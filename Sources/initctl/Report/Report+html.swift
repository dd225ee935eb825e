internal import InitForecasts
internal import InitTimeline

extension Report {
  /// One page that refers to nothing outside of it; it is also well-formed XML.
  var html: String {
    var parts = [
      """
      <!DOCTYPE html>
      <html xmlns="http://www.w3.org/1999/xhtml" lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <title>\(XML.text(title))</title>
      <style>
      :root { color-scheme: light dark; --paper: #fff; --ink: #1a1a1a; --line: #d0d0d0; --bad: #b00020; --good: #18691d; }
      @media (prefers-color-scheme: dark) { :root { --paper: #141414; --ink: #e6e6e6; --line: #444; --bad: #ff8a80; --good: #8bd48f; } }
      body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70em; margin: auto; padding: 1em; }
      h1 { font-size: 1.4em; } h1.failed { color: var(--bad); } h1.complete { color: var(--good); } h2 { font-size: 1.1em; margin-top: 2em; }
      table { border-collapse: collapse; } td, th { text-align: left; padding: 0.2em 1em 0.2em 0; border-bottom: 1px solid var(--line); vertical-align: top; }
      td.number { text-align: right; font-variant-numeric: tabular-nums; } tr.failed td { color: var(--bad); }
      pre, .picture { overflow-x: auto; } pre { border-left: 3px solid var(--line); padding-left: 1em; }
      </style>
      </head>
      <body>
      <h1 class="\(isComplete ? "complete" : "failed")">\(XML.text(title))</h1>
      """
    ]
    parts.append(table(facts.map { (["<td>\(XML.text($0.name))</td>", "<td>\(XML.text($0.value))</td>"], false) }))
    if !why.isEmpty { parts.append("<h2>Why</h2>\n\(pre(why))") }
    parts.append("<h2>Initializers</h2>")
    parts.append(
      table(
        rows.map { row in
          let times = [
            row.started.map { "at \(Phrases.duration($0))" } ?? "", row.duration.map(Phrases.duration) ?? "",
          ]
          let cells =
            ["<td>\(XML.text(row.name))</td>", "<td>\(XML.text(row.outcome))</td>"]
            + times.map { "<td class=\"number\">\(XML.text($0))</td>" } + ["<td>\(XML.text(row.cause))</td>"]
          return (cells, row.isFailure)
        }))
    if !processes.isEmpty { parts.append("<h2>Processes</h2>") }
    for process in processes {
      parts.append("<p>\(XML.text(process.state))</p>")
      if !process.output.isEmpty { parts.append(pre(process.output)) }
    }
    parts.append("<h2>Time</h2>\n<div class=\"picture\">\(picture)</div>")
    if !path.isEmpty { parts.append("<h2>Critical path</h2>\n\(pre(path))") }
    if !comparison.isEmpty { parts.append("<h2>Against the usual</h2>\n\(pre(comparison))") }
    for row in rows where row.isFailure && !row.output.isEmpty {
      parts.append("<h2>Output of \(XML.text(row.name))</h2>\n\(pre(row.output))")
    }
    return (parts + ["</body>", "</html>"]).joined(separator: "\n") + "\n"
  }

  private func table(_ rows: [(cells: [String], isFailure: Bool)]) -> String {
    let lines = rows.map { "<tr\($0.isFailure ? " class=\"failed\"" : "")>\($0.cells.joined())</tr>" }
    return "<table>\n\(lines.joined(separator: "\n"))\n</table>"
  }

  private func pre(_ lines: [String]) -> String { "<pre>\(lines.map(XML.text).joined(separator: "\n"))</pre>" }
}
