/// One thing that is wrong with a manifest, where it is, and what to do about it.
public struct Finding: Hashable, Sendable {
  /// The manifest's file, as it was called.
  public let file: String
  /// Where it is.
  public let position: Position
  /// What is wrong.
  public let problem: String
  /// What to do.
  public let remedy: String

  /// A finding in `file`; `problem` and `remedy` are phrases without a full stop.
  public init(file: String, at position: Position, problem: String, remedy: String) {
    self.file = file
    self.position = position
    self.problem = problem
    self.remedy = remedy
  }

  /// The line, from 1.
  public var line: Int { position.line }
  /// The column, from 1.
  public var column: Int { position.column }
}

extension Finding: CustomStringConvertible {
  /// One line: `FILE:LINE:COLUMN: what is wrong; what to do`.
  public var description: String {
    "\(escaped(file)):\(line):\(column): \(problem); \(remedy)"
  }
}

/// Everything that is wrong with a manifest.
public struct ManifestErrors: Error, Hashable, Sendable {
  /// What was found, at least one, in the order of the text.
  public let findings: [Finding]
}

extension ManifestErrors: CustomStringConvertible {
  /// A line a finding, without a newline at the end.
  public var description: String {
    findings.map(\.description).joined(separator: "\n")
  }
}

/// Collects findings while a manifest is read.
///
/// Law. However bad the text is, no more than `limit` are told, and the last one says how many were left out.
struct Findings {
  /// How many are told.
  static let limit = 1000

  let file: String
  private var list: [Finding] = []

  init(file: String) {
    self.file = file
  }

  var isEmpty: Bool { list.isEmpty }

  mutating func add(_ position: Position, _ problem: String, _ remedy: String) {
    list.append(Finding(file: file, at: position, problem: problem, remedy: remedy))
  }

  /// What was found, by position; findings of one place stay in the order they came.
  func sorted() -> ManifestErrors {
    var sorted = list.enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
      .map(\.element)
    if sorted.count > Self.limit {
      let rest = sorted[(Self.limit - 1)...]
      let summary = Finding(
        file: file, at: rest[rest.startIndex].position, problem: "\(rest.count) more mistakes from here on",
        remedy: "correct those above and check again")
      sorted.replaceSubrange((Self.limit - 1)..., with: [summary])
    }
    return ManifestErrors(findings: sorted)
  }
}
