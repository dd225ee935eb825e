package import InitModel

/// Output lines, as many as fit into an answer.
package struct LogPage {
  /// Which lines are wanted.
  package struct Selection {
    var name: String?
    var failed: Bool
    var pass: Int?
    var before: Int?
    var limit: Int

    /// Selects the last `limit` lines before the line with this number, of one name or of all, of one pass or of all, or only those that
    /// are kept of failed runs.
    package init(
      name: String? = nil, failed: Bool = false, pass: Int? = nil, before: Int? = nil, limit: Int = 1000
    ) {
      self.name = name
      self.failed = failed
      self.pass = pass
      self.before = before
      self.limit = limit
    }
  }

  /// The lines, oldest first.
  package let lines: [LogLine]
  /// The number of the line before which older wanted lines are, and how many of them may still follow; nil if there are none.
  package let next: (before: Int, limit: Int)?
  /// How many wanted lines aren't kept any more, and the limit that dropped the last of them; nil if none.
  package let dropped: Int?
  package let droppedBy: String?
}
