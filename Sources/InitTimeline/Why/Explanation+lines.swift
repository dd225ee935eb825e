package import InitModel
internal import InitText
internal import InitWords

// The tree as text for a terminal; text from other programs is escaped.

extension Explanation {
  /// The maximum number of causes listed for one subject.
  static let listed = 10
  /// The maximum number of lines of a tree.
  static let mostLines = 60

  /// Describes the subject in one sentence, without a full stop: `migrate has been running for 1.2 s, usually 300 ms: 50%`.
  ///
  /// `now` is the current time, in seconds since the Unix epoch.
  package func sentence(now: Double) -> String {
    let predicate = predicate(now: now)
    let isOneClause = predicate.isEmpty || predicate == "was"
    let detail = detail.isEmpty ? "" : isOneClause ? " \(detail)" : ": \(detail)"
    return TerminalText.escape(subject + (predicate.isEmpty ? "" : " \(predicate)") + detail)
  }

  /// Returns the sentence, followed by what to do.
  package func advice(now: Double) -> String {
    sentence(now: now) + (remedy.map { "; " + TerminalText.escape($0) } ?? "")
  }

  private var subject: String {
    switch status {
    case Lifecycle.inactive.rawValue: "the \(name)"
    case Status.Process.Trouble.notRunning.rawValue, Status.Process.Trouble.restarted.rawValue,
      Status.Process.Trouble.unregistered.rawValue, Status.Process.Trouble.unhealthy.rawValue:
      "the process \(name)"
    default: name
    }
  }

  /// Returns the predicate of the sentence; empty if the detail says it.
  private func predicate(now: Double) -> String {
    let span = since.map { max(0, now - $0) }
    let lasting = span.map { " for \(Phrases.duration($0))" }
    let ago = span.map { " \(Phrases.duration($0)) ago" } ?? ""
    let usually = usual.map { ", usually \(Phrases.duration($0))" } ?? ""
    if detail.hasPrefix("is run by hand") { return "" }
    if detail.hasPrefix(Status.Process.stopPrefix) || detail.hasPrefix(Status.Process.illnessPrefix) { return "" }
    switch status {
    case "waiting" where detail.hasPrefix("waits "): return ""
    // "was stopped because …"
    case "cancelled" where detail.hasPrefix("stopped "), "notRun" where detail.hasPrefix("not "): return "was"
    case "running", "pending", "waiting":
      return lasting.map { "has been \(status)\($0)" + (status == "waiting" ? "" : usually) } ?? "is \(status)"
    case "failed": return "failed" + ago
    case "cancelled": return "was cancelled" + ago
    case "notRun": return "was not run"
    case "undeclared": return "is not declared"
    case Status.Process.Trouble.notRunning.rawValue: return "doesn't run"
    case Status.Process.Trouble.restarted.rawValue: return "was restarted"
    case Status.Process.Trouble.unregistered.rawValue: return "runs"
    default: return "is \(TerminalText.escape(status))"
    }
  }

  /// A line of the tree.
  package struct Line: Equatable {
    /// The part before the text.
    package var head: String
    package var text: String
    /// The prefix of the node's later lines if it is wrapped.
    package var margin: String
  }

  /// Returns the tree, a line for each node, without newlines.
  package func lines(now: Double) -> [String] { tree(now: now).map { $0.head + $0.text } }

  /// Returns the tree, a line for each node.
  ///
  /// `isNarrow` is true if a level is indented by only one column.
  package func tree(now: Double, isNarrow: Bool = false) -> [Line] {
    var lines: [Line] = []
    append(to: &lines, now: now, isNarrow, "", "")
    guard lines.count > Self.mostLines else { return lines }
    let rest = Line(head: "", text: "… \(lines.count - Self.mostLines) more lines", margin: "")
    return lines.prefix(Self.mostLines) + [rest]
  }

  /// Appends the node's own line, which starts with `head`, and the lines below it, which start with `margin`.
  private func append(to lines: inout [Line], now: Double, _ isNarrow: Bool, _ head: String, _ margin: String) {
    // The line to the first cause continues beside the later lines of this text, and beside its output.
    let below = margin + (because.isEmpty ? " " : "│") + (isNarrow ? " " : "  ")
    lines.append(Line(head: head, text: advice(now: now), margin: below))
    for line in output ?? [] {
      let text = TerminalText.escape(name) + " | " + TerminalText.output(line)
      lines.append(Line(head: below, text: text, margin: below + "  "))
    }
    let (branch, last) = isNarrow ? ("├", "└") : ("├─ ", "└─ ")
    let (beside, after) = isNarrow ? ("│", " ") : ("│  ", "   ")
    for (index, each) in because.prefix(Self.listed).enumerated() {
      let isLast = index == because.count - 1
      each.append(to: &lines, now: now, isNarrow, margin + (isLast ? last : branch), margin + (isLast ? after : beside))
    }
    if because.count > Self.listed {
      lines.append(
        Line(head: margin + last, text: "… and \(because.count - Self.listed) others", margin: margin + after))
    }
  }
}
