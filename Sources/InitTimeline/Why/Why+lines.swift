internal import InitWire

// The tree as text for a terminal; text from other programs is escaped.

extension Why {
  /// How many causes of one thing are listed.
  static let listed = 10
  /// How many lines a tree has at most.
  static let mostLines = 60

  /// It in one sentence, without a full stop: `migrate has been running for 1.2 s, usually 300 ms: 50%`.
  ///
  /// - Parameter now: the present, in seconds since the Unix epoch.
  package func sentence(now: Double) -> String {
    let predicate = predicate(now: now)
    let isOneClause = predicate.isEmpty || predicate == "was"
    let detail = detail.isEmpty ? "" : isOneClause ? " \(detail)" : ": \(detail)"
    return TerminalText.escape(subject + (predicate.isEmpty ? "" : " \(predicate)") + detail)
  }

  /// The same with what to do about it.
  package func advice(now: Double) -> String {
    sentence(now: now) + (remedy.map { "; " + TerminalText.escape($0) } ?? "")
  }

  private var subject: String { status == Lifecycle.inactive.rawValue ? "the \(name)" : name }

  /// What it does; empty if the detail says so.
  private func predicate(now: Double) -> String {
    let span = since.map { max(0, now - $0) }
    let lasting = span.map { " for \(Phrases.duration($0))" }
    let ago = span.map { " \(Phrases.duration($0)) ago" } ?? ""
    let usually = usual.map { ", usually \(Phrases.duration($0))" } ?? ""
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
    default: return "is \(TerminalText.escape(status))"
    }
  }

  /// The tree, a line for each thing, without newlines.
  package func lines(now: Double) -> [String] {
    var lines: [String] = []
    append(to: &lines, now: now, "", "")
    guard lines.count > Self.mostLines else { return lines }
    return lines.prefix(Self.mostLines) + ["… \(lines.count - Self.mostLines) more lines"]
  }

  /// - Parameters:
  ///   - head: what precedes its own line.
  ///   - margin: what precedes the lines below it.
  private func append(to lines: inout [String], now: Double, _ head: String, _ margin: String) {
    lines.append(head + advice(now: now))
    for line in output ?? [] {
      lines.append("\(margin)\(because.isEmpty ? " " : "│")  \(TerminalText.escape("\(name) | \(line)"))")
    }
    for (place, each) in because.prefix(Self.listed).enumerated() {
      let isLast = place == because.count - 1
      each.append(to: &lines, now: now, margin + (isLast ? "└─ " : "├─ "), margin + (isLast ? "   " : "│  "))
    }
    if because.count > Self.listed { lines.append("\(margin)└─ … and \(because.count - Self.listed) others") }
  }
}
