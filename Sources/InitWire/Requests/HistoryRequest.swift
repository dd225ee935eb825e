package import InitJSON
package import InitModel
package import InitWords

/// Requests the last passes.
package struct HistoryRequest: ClientRequest, Shape {
  package static let method = "history"
  package static let roles: [Role] = [.observe]
  package static let since = "0.1.0"

  /// The number of passes, counted from the last pass.
  package var limit: Int
  /// The number of the only pass to return; nil for the last passes.
  package var pass: Int?
  /// The phase of the passes; nil for both.
  package var phase: Phase?
  /// Whether passes in flight are included.
  package var inFlight: Bool
  /// Whether the answer has summaries instead of passes with runs.
  ///
  /// Summaries include the passes of earlier supervisors.
  package var summaries: Bool
  /// Whether the answer says how long phases and initializers usually take.
  package var usual: Bool
  /// The position of the page, as in the last answer; nil for the newest passes.
  package var before: HistoryPosition?

  /// Creates a request for the last passes.
  package init(
    limit: Int = 1, pass: Int? = nil, phase: Phase? = nil, inFlight: Bool = false, summaries: Bool = false,
    usual: Bool = false, before: HistoryPosition? = nil
  ) {
    self.limit = limit
    self.pass = pass
    self.phase = phase
    self.inFlight = inFlight
    self.summaries = summaries
    self.usual = usual
    self.before = before
  }

  package init() { self.init(limit: 1) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("limit", &limit, .positive)
    try json.optional("pass", &pass, .positive)
    try json.optional("phase", &phase)
    try json.optional("inFlight", &inFlight)
    try json.optional("summaries", &summaries)
    try json.optional("usual", &usual)
    try json.optional("before", &before)
  }

  /// The result of `history`.
  package struct Result: Sendable, Shape {
    /// The last passes, the newest last.
    package var passes: [Pass] = []
    /// Summaries of the last passes, the newest last, if the request asked for them.
    package var summaries: [Pass.Times]?
    /// The usual duration of each phase, if the request asked for it; a phase without a complete pass is absent.
    package var usual: [Usual]?
    /// Whether the request matches older passes or elements; left out if not.
    package var more: Bool?
    /// The position of the older passes: use it as `before` in the same request.
    package var before: HistoryPosition?

    package init() {}

    /// Creates the answer to `history`: all passes, or a page and the position of the next page.
    package init(
      passes: [Pass], summaries: [Pass.Times]? = nil, usual: [Usual]? = nil,
      before: HistoryPosition? = nil
    ) {
      self.passes = passes
      self.summaries = summaries
      self.usual = usual
      self.before = before
      more = before.map { _ in true }
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("passes", &passes)
      try json.optional("summaries", &summaries)
      try json.optional("usual", &usual)
      try json.optional("more", &more)
      try json.optional("before", &before)
    }
  }
}

extension HistoryRequest.Result {
  /// Adds the page that follows this one, which has older passes.
  ///
  /// The oldest pass so far may have only its last elements: the others are the newest ones of that page.
  package mutating func prepend(_ older: HistoryRequest.Result) {
    passes = Self.joined(older.passes, passes, { $0.pass == $1.pass }, \.runs)
    if let summaries {
      self.summaries = Self.joined(
        older.summaries ?? [], summaries, { $0.pass == $1.pass && $0.instance == $1.instance }, \.initializers)
    }
    more = older.more
    before = older.before
  }

  private static func joined<Pass, Element>(
    _ older: [Pass], _ newer: [Pass], _ isSame: (Pass, Pass) -> Bool, _ elements: WritableKeyPath<Pass, [Element]>
  ) -> [Pass] {
    guard let last = older.last, var first = newer.first, isSame(last, first) else { return older + newer }
    first[keyPath: elements] = last[keyPath: elements] + first[keyPath: elements]
    return older.dropLast() + [first] + newer.dropFirst()
  }
}
