package import InitJSON

/// The largest integer of a message: every language can hold it.
private let largestInteger = 9_007_199_254_740_991

/// Where the next page of `logs` begins.
///
/// A client sends it back unchanged.
package struct LogsPosition: Sendable, Shape {
  /// The number of the oldest line so far, counted from the supervisor's first one: the page has older lines.
  package var line = 0
  /// How many lines may still follow.
  package var limit = 0

  package init() {}

  /// Creates the position before this line.
  package init(line: Int, limit: Int) {
    self.line = line
    self.limit = min(limit, largestInteger)
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("line", &line, .natural)
    try json.required("limit", &limit, .natural)
  }
}

/// The position at which the next page of `history` begins: within a pass, or at its end.
///
/// A client sends it back unchanged.
package struct HistoryPosition: Sendable, Shape {
  /// The pass that the page begins with; older passes follow.
  package var pass = 0
  /// The instance of the supervisor that executed the pass; nil for the supervisor that answers.
  package var instance: String?
  /// How many of the pass's runs, or of its summary's initializers, haven't been sent, counted from the first one.
  package var count = 0
  /// How many ended passes may still follow, including this one.
  package var limit = 0

  package init() {}

  /// Creates the position in this pass.
  package init(pass: Int, instance: String?, count: Int, limit: Int) {
    self.pass = pass
    self.instance = instance
    self.count = count
    self.limit = min(limit, largestInteger)
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("pass", &pass, .natural)
    try json.optional("instance", &instance)
    try json.required("count", &count, .natural)
    try json.required("limit", &limit, .natural)
  }
}
