package import InitJSON
package import InitModel

/// Requests output lines of commands, oldest first; of one initializer, or of all.
package struct LogsRequest: ClientRequest, Shape {
  package static let method = "logs"
  package static let roles: [Role] = [.observe]
  package static let since = "0.1.0"

  /// The initializer; nil for all.
  package var initializer: String?
  /// The number of lines, counted from the last line.
  package var limit: Int
  /// Whether only lines that are kept of failed attempts are wanted.
  package var failed: Bool
  /// The number of the pass; nil for all lines.
  package var pass: Int?
  /// The position of the page, as in the last answer; nil for the newest lines.
  package var before: LogsPosition?

  /// Creates a request for the last lines.
  package init(
    initializer: String? = nil, limit: Int = 1000, failed: Bool = false, pass: Int? = nil, before: LogsPosition? = nil
  ) {
    self.initializer = initializer
    self.limit = limit
    self.failed = failed
    self.pass = pass
    self.before = before
  }

  package init() { self.init(limit: 1000) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("initializer", &initializer, .initializerName)
    try json.optional("limit", &limit, .positive)
    try json.optional("failed", &failed)
    try json.optional("pass", &pass, .positive)
    try json.optional("before", &before)
  }

  /// The result of `logs`.
  package struct Result: Sendable, Shape {
    /// The last lines, oldest first.
    package var lines: [LogLine] = []
    /// Whether the request matches older lines; left out if not.
    package var more: Bool?
    /// The position of the older lines: use it as `before` in the same request.
    package var before: LogsPosition?
    /// How many of the requested lines, without `limit`, aren't kept any more; left out if none.
    package var dropped: Int?
    /// The limit that caused the last of these to be dropped: `logLines` or `logBytes`.
    package var droppedBy: String?

    package init() {}

    /// Creates the answer to `logs`: all lines, or a page and the position of the next page.
    package init(lines: [LogLine], before: LogsPosition? = nil) {
      self.lines = lines
      self.before = before
      more = before.map { _ in true }
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("lines", &lines)
      try json.optional("more", &more)
      try json.optional("before", &before)
      try json.optional("dropped", &dropped)
      try json.optional("droppedBy", &droppedBy)
    }
  }
}
