/// One mistake in a manifest, or a warning: its position, the problem, and what to do.
package struct Finding: Hashable, Sendable {
  /// The manifest's file, as given by the caller.
  package let file: String
  /// The position.
  package let position: Position
  /// What is wrong.
  package let problem: String
  /// What to do.
  package let remedy: String

  /// Creates a finding in `file`; `problem` and `remedy` are phrases without a full stop.
  package init(file: String, at position: Position, problem: String, remedy: String) {
    self.file = file
    self.position = position
    self.problem = problem
    self.remedy = remedy
  }

  /// The line, from 1.
  package var line: Int { position.line }
  /// The column, from 1.
  package var column: Int { position.column }
}

extension Finding: CustomStringConvertible {
  /// One line: `FILE:LINE:COLUMN: what is wrong; what to do`.
  package var description: String {
    "\(escaped(file)):\(line):\(column): \(problem); \(remedy)"
  }

  /// The same for something that is valid, but probably not meant: `FILE:LINE:COLUMN: warning: what it means; what to do`.
  package var asWarning: String { "\(escaped(file)):\(line):\(column): warning: \(problem); \(remedy)" }
}

/// All mistakes in a manifest.
package struct ManifestErrors: Error, Hashable, Sendable {
  /// The findings, at least one, in the order of the text.
  package let findings: [Finding]

  /// Sorts these findings by position.
  package init(findings: [Finding]) {
    self.findings = findings
  }
}

extension ManifestErrors: CustomStringConvertible {
  /// One line per finding, without a newline at the end.
  package var description: String {
    findings.map(\.description).joined(separator: "\n")
  }
}

/// Collects findings while a manifest is read.
///
/// Invariant. At most `limit` findings are reported, the first ones by position, and about as many are kept in memory; the last one says
/// how many were omitted.
struct Findings {
  /// The maximum number of findings that are reported.
  static let limit = 1000

  let file: String
  /// The end of the text, if known: a finding after it is moved there, because libyaml's last mark is on a line of its own.
  var end: Position?
  private var kept: [Finding] = []
  private var leftOut = 0

  init(file: String) {
    self.file = file
  }

  var isEmpty: Bool { kept.isEmpty }

  mutating func add(_ position: Position, _ problem: String, _ remedy: String) {
    let position = end.map { min(position, $0) } ?? position
    kept.append(Finding(file: file, at: position, problem: problem, remedy: remedy))
    if kept.count >= 2 * Self.limit { sort() }
  }

  /// Returns the findings sorted by position; those at one position stay in the order of their discovery.
  consuming func sorted() -> ManifestErrors {
    sort()
    if leftOut > 0 {
      let first = kept.removeLast()
      add(first.position, "\(leftOut + 1) more mistakes from here on", "correct those above and check again")
    }
    return ManifestErrors(findings: kept)
  }

  private mutating func sort() {
    kept = kept.enumerated().sorted { left, right in
      (left.element.position, left.offset) < (right.element.position, right.offset)
    }.map(\.element)
    let excess = max(0, kept.count - Self.limit)
    kept.removeLast(excess)
    leftOut += excess
  }
}
