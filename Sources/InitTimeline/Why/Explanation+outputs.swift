package import InitModel

extension Explanation {
  /// The first thing to look at: the end of the first branch.
  package var first: Explanation {
    var first = self
    while let next = first.because.first { first = next }
    return first
  }

  /// A run whose output explains more.
  package struct Told: Equatable {
    /// The initializer, or its kept process.
    package var name: String
    package var run: Int
    /// Whether the run still runs.
    package var isRunning: Bool
  }

  /// Returns the runs whose output explains more, failed ones first: at most `limit`.
  package func outputs(limit: Int) -> [Told] {
    var found: [Told] = []
    visit { each in
      guard let run = each.run else { return }
      let told = Told(
        name: each.name, run: run, isRunning: ["running", "stopping", "unregistered"].contains(each.status))
      if !found.contains(told) { found.append(told) }
    }
    return Array((found.filter { !$0.isRunning } + found.filter(\.isRunning)).prefix(limit))
  }

  private func visit(_ body: (Explanation) -> Void) {
    body(self)
    for each in because { each.visit(body) }
  }

  /// Adds the last lines of a run.
  package func showing(_ lines: [String], of name: String, run: Int) -> Explanation {
    var copy = self
    if self.run == run, self.name == name, !lines.isEmpty { copy.output = lines }
    copy.because = because.map { $0.showing(lines, of: name, run: run) }
    return copy
  }
}
