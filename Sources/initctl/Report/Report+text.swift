internal import InitForecasts
internal import InitTimeline

extension Report {
  /// A text for an issue, or for the summary of a CI job.
  var markdown: String {
    var parts = ["## \(Self.inline(title))"]
    parts.append(facts.map { "- \($0.name): \(Self.inline($0.value))" }.joined(separator: "\n"))
    if !why.isEmpty { parts.append(Self.fenced(why)) }
    let header = "| initializer | outcome | started | took | why |\n| --- | --- | ---: | ---: | --- |\n"
    parts.append(
      header
        + rows.map { row in
          let cells = [
            row.name, row.outcome, row.started.map(Phrases.duration) ?? "", row.duration.map(Phrases.duration) ?? "",
            row.cause,
          ]
          return "| \(cells.map(Self.inline).joined(separator: " | ")) |"
        }.joined(separator: "\n"))
    for process in processes {
      parts.append("- process " + Self.inline(process.state))
      if !process.output.isEmpty { parts.append(Self.fenced(process.output)) }
    }
    if !path.isEmpty { parts.append(Self.fenced(path)) }
    if !comparison.isEmpty { parts.append(Self.fenced(comparison)) }
    for row in rows where row.isFailure && !row.output.isEmpty {
      parts.append("Output of \(Self.inline(row.name)):\n\n" + Self.fenced(row.output))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// A test suite of JUnit: each initializer is a test case.
  var junit: String {
    let total = rows.compactMap(\.duration).reduce(0, +)
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      """
      <testsuite name="\(XML.text(title))" tests="\(rows.count)" failures="\(rows.count(where: \.isFailure))" \
      skipped="\(rows.count { !$0.hasRun })" time="\(Self.seconds(total))">
      """,
    ]
    for row in rows {
      lines.append(
        #"<testcase classname="initializers" name="\#(XML.text(row.name))" time="\#(Self.seconds(row.duration ?? 0))">"#
      )
      if row.isFailure { lines.append(#"<failure message="\#(XML.text(row.cause))"/>"#) }
      if !row.hasRun {
        lines.append(
          #"<skipped message="\#(XML.text([row.outcome, row.cause].filter { !$0.isEmpty }.joined(separator: ": ")))"/>"#
        )
      }
      if !row.output.isEmpty {
        lines.append("<system-out>\(row.output.map(XML.text).joined(separator: "\n"))</system-out>")
      }
      lines.append("</testcase>")
    }
    return (lines + ["</testsuite>"]).joined(separator: "\n") + "\n"
  }

  /// Annotations of GitHub's jobs: an error for each failure, and what happened.
  var annotations: String {
    let failures = rows.filter(\.isFailure).map { row in
      let text = ([row.cause] + row.output.suffix(20)).joined(separator: "\n")
      return "::error title=\(Self.property(row.name))::\(Self.data(text))"
    }
    return (failures + ["::\(isComplete ? "notice" : "error") title=initialization::\(Self.data(title))"])
      .joined(separator: "\n") + "\n"
  }

  private static func seconds(_ duration: Double) -> String { "\((duration * 1000).rounded() / 1000)" }

  /// Escapes what has a meaning within a line of Markdown.
  private static func inline(_ text: String) -> String {
    text.map { "\\`*_[]<>|&#".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  /// Returns lines as a block, with a fence that none of them has.
  private static func fenced(_ lines: [String]) -> String {
    var fence = "```"
    while lines.contains(where: { $0.hasPrefix(fence) }) { fence += "`" }
    return "\(fence)\n\(lines.joined(separator: "\n"))\n\(fence)"
  }

  private static func data(_ text: String) -> String {
    text.map { $0 == "%" ? "%25" : $0 == "\n" ? "%0A" : $0 == "\r" ? "%0D" : String($0) }.joined()
  }

  private static func property(_ text: String) -> String {
    data(text).map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
  }
}
