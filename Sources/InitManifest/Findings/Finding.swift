/// One mistake in a manifest, or a warning: its position, the problem, and what to do.
package struct Finding: Hashable, Sendable {
  /// The path of the file, as the caller or an `include` gives it.
  package let file: String
  /// The position.
  package let position: Position
  /// The problem.
  package let problem: String
  /// The remedy.
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
  /// One line: `FILE:LINE:COLUMN: PROBLEM; REMEDY`.
  package var description: String {
    "\(escaped(file)):\(line):\(column): \(problem); \(remedy)"
  }

  /// The same for a valid but probably unintended part: `FILE:LINE:COLUMN: warning: MEANING; REMEDY`.
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
/// Invariant. At most `limit` findings are reported, the first ones by position, and about as many are kept in memory. The last finding
/// says how many were omitted. No finding is reported twice, even if the text is used for several values, e.g. by an alias.
struct Findings {
  /// The maximum number of findings that are reported.
  static let limit = 1000

  /// The names of the files that have been read so far, by their number in positions.
  private(set) var files: [String]
  /// The end of each file's text, if known: a finding after the end is moved to it, because libyaml's last mark is on a line of its own.
  private var ends: [Int: Position] = [:]
  private var kept: [Finding] = []
  /// The texts of `kept`; texts, for the reason given in `Box`.
  private var known: Set<String> = []
  private var leftOut = 0

  /// Creates a collection for these files.
  init(files: [String]) { self.files = files }

  /// The first file.
  var file: String { files.first ?? "" }

  /// Returns the name of the file of a position, escaped.
  func name(of position: Position) -> String { escaped(files[position.file]) }

  /// Returns a position as `FILE:LINE:COLUMN`, escaped.
  func place(_ position: Position) -> String { "\(name(of: position)):\(position.line):\(position.column)" }

  /// Adds a file that is read now; returns its number.
  mutating func begin(_ name: String) -> Int {
    files.append(name)
    return files.count - 1
  }

  /// Sets the end of a file's text.
  mutating func end(at position: Position) { ends[position.file] = position }

  var isEmpty: Bool { kept.isEmpty }

  mutating func add(_ position: Position, _ problem: String, _ remedy: String) {
    let position = ends[position.file].map { min(position, $0) } ?? position
    let finding = Finding(file: files[position.file], at: position, problem: problem, remedy: remedy)
    guard known.insert(finding.description).inserted else { return }
    kept.append(finding)
    if kept.count >= 2 * Self.limit { sort() }
  }

  /// Returns the findings sorted by position; findings at one position keep the order in which they were found.
  consuming func sorted() -> ManifestErrors {
    sort()
    if leftOut > 0 {
      let first = kept.removeLast()
      add(first.position, "\(leftOut + 1) more mistakes from here on", "correct those above and check again")
    }
    return ManifestErrors(findings: kept)
  }

  private mutating func sort() {
    if kept.isEmpty { return }
    kept = kept.enumerated().sorted { left, right in
      (left.element.position, left.offset) < (right.element.position, right.offset)
    }.map(\.element)
    let excess = max(0, kept.count - Self.limit)
    for each in kept.suffix(excess) { known.remove(each.description) }
    kept.removeLast(excess)
    leftOut += excess
  }
}
