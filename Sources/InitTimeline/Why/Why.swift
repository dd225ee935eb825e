package import InitWire

/// Why an initializer, a phase or the app has its status: a tree, down to what runs now, failed first, or is missing.
///
/// Its texts aren't escaped.
package struct Why: Sendable, Equatable {
  /// The name of the initializer; or `ready`, `composite`, `launch`, `active` or `app`.
  package var name = ""
  /// Its status: a word of the protocol, or `undeclared`.
  package var status = ""
  /// Since when it has this status, in seconds since the Unix epoch. If it waits in a pass: since the pass
  /// could begin.
  package var since: Double?
  /// How long it usually takes, in seconds: the median of the complete passes that are kept.
  package var usual: Double?
  /// What else there is to say; it may be empty.
  package var detail = ""
  /// What to do about it.
  package var remedy: String?
  /// The last lines that a failed run wrote.
  package var output: [String]?
  /// What it waits for, or what stopped it.
  package var because: [Why] = []
  /// The run whose output tells more.
  package var run: Int?

  /// What there is to say and what to do about it, in one line.
  package var message: String {
    [detail.isEmpty ? nil : detail, remedy].compactMap(\.self).joined(separator: "; ")
  }

  /// An empty value.
  package init() {}

  init(_ name: String, _ status: String, _ detail: String = "", remedy: String? = nil) {
    (self.name, self.status, self.detail, self.remedy) = (name, status, detail, remedy)
  }

  /// The first thing to look at: the end of the first branch.
  package var first: Why {
    var first = self
    while let next = first.because.first { first = next }
    return first
  }

  /// The initializers in it with a failed attempt, and the numbers of their runs: at most `limit`.
  package func failures(limit: Int) -> [(name: String, run: Int)] {
    var found: [(name: String, run: Int)] = []
    visit { why in
      guard found.count < limit, let run = why.run, !found.contains(where: { $0.run == run }) else { return }
      found.append((why.name, run))
    }
    return found
  }

  private func visit(_ body: (Why) -> Void) {
    body(self)
    for each in because { each.visit(body) }
  }

  /// The same with the last lines of a run.
  package func showing(_ lines: [String], ofRun run: Int) -> Why {
    var copy = self
    if self.run == run, !lines.isEmpty { copy.output = lines }
    copy.because = because.map { $0.showing(lines, ofRun: run) }
    return copy
  }
}

extension Why: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    var message = message
    try json.required("name", &name)
    try json.required("status", &status)
    try json.optional("since", &since)
    try json.optional("usual", &usual)
    try json.required("message", &message)
    try json.optional("output", &output)
    try json.required("because", &because)
    if json.isReading { (detail, remedy) = (message, nil) }
  }
}
