package import InitJSON
internal import InitModel

/// Explains the status of an initializer, a phase or the app: a tree whose leaves run now, failed first, or are missing.
///
/// The texts aren't escaped.
package struct Why: Sendable, Equatable {
  /// The name of the initializer; or `ready`, `composite`, `launch`, `active` or `app`.
  package var name = ""
  /// The status: a protocol name, `undeclared`, or a kept process's ``ProcessShape/Trouble``.
  package var status = ""
  /// The time since which the subject has this status, in seconds since the Unix epoch.
  ///
  /// If the subject waits in a pass: the time at which the pass could begin.
  package var since: Double?
  /// The usual duration, in seconds: the median of the complete passes that are kept.
  package var usual: Double?
  /// Further explanation; it may be empty.
  package var detail = ""
  /// The remedy.
  package var remedy: String?
  /// The process id of the command that runs, or of the kept process.
  package var pid: Int?
  /// The last lines that the subject's run wrote.
  package var output: [String]?
  /// The causes: what the subject waits for, or what stopped it.
  package var because: [Why] = []
  /// The run whose output explains more.
  package var run: Int?

  /// The explanation and the remedy, in one line.
  package var message: String {
    [detail.isEmpty ? nil : detail, remedy].compactMap(\.self).joined(separator: "; ")
  }

  /// Creates an empty value.
  package init() {}

  init(_ name: String, _ status: String, _ detail: String = "", remedy: String? = nil) {
    self.name = name
    self.status = status
    self.detail = detail
    self.remedy = remedy
  }

  /// The first thing to look at: the end of the first branch.
  package var first: Why {
    var first = self
    while let next = first.because.first { first = next }
    return first
  }

  /// A run whose output explains more.
  package struct Told: Equatable {
    /// The initializer, or its kept process.
    package var name: String
    /// The number.
    package var run: Int
    /// Whether the run still runs.
    package var isRunning: Bool
  }

  /// Returns the runs whose output explains more, failed ones first: at most `limit`.
  package func outputs(limit: Int) -> [Told] {
    var found: [Told] = []
    visit { why in
      guard let run = why.run else { return }
      let told = Told(
        name: why.name, run: run, isRunning: ["running", "stopping", "unregistered"].contains(why.status))
      if !found.contains(told) { found.append(told) }
    }
    return Array((found.filter { !$0.isRunning } + found.filter(\.isRunning)).prefix(limit))
  }

  private func visit(_ body: (Why) -> Void) {
    body(self)
    for each in because { each.visit(body) }
  }

  /// Adds the last lines of a run.
  package func showing(_ lines: [String], of name: String, run: Int) -> Why {
    var copy = self
    if self.run == run, self.name == name, !lines.isEmpty { copy.output = lines }
    copy.because = because.map { $0.showing(lines, of: name, run: run) }
    return copy
  }
}

extension Why: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var message = message
    try json.required("name", &name)
    try json.required("status", &status)
    try json.optional("since", &since)
    try json.optional("usual", &usual)
    try json.optional("pid", &pid)
    try json.required("message", &message)
    try json.optional("output", &output)
    try json.required("because", &because)
    if json.isReading {
      detail = message
      remedy = nil
    }
  }
}
