package import InitJSON
package import InitModel
package import InitWords

/// Passes with their runs, and the Status at the same moment: all that is needed to explain them when their supervisor has ended.
package struct PassDetail: Shape, Sendable {
  /// The pass that ended at that moment, or all that were in flight.
  package var passes: [Pass] = []
  package var status = Status()
  /// The last lines of output of the runs that failed or were in flight.
  package var output: [LogLine] = []

  package init() {}

  package init(passes: [Pass], status: Status, output: [LogLine]) {
    self.passes = passes
    self.status = status
    self.output = output
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("passes", &passes)
    try json.required("status", &status)
    try json.optional("output", &output)
  }

  /// The part that is kept if the whole detail is too large: the passes without their runs.
  var brief: PassDetail {
    var brief = self
    for index in brief.passes.indices { brief.passes[index].runs = [] }
    brief.status.initializers = []
    brief.status.workers = []
    brief.output = []
    return brief
  }

  /// The passes as they are known when their supervisor has ended without ending them: interrupted at that moment.
  package var interrupted: PassDetail {
    var detail = self
    detail.passes = passes.map { $0.interrupted(at: status.time) }
    return detail
  }

  /// Returns the summary of one of its passes that has ended.
  package func summary(of pass: Pass) -> Pass.Times {
    var summary = Pass.Times(Timeline(pass, now: status.time, status: status))
    summary.instance = status.instance
    return summary
  }

  /// Returns the names of the initializers that ran in the passes of a phase.
  package func running(in phase: Phase) -> Set<String> {
    Set(passes.filter { $0.phase.known == phase }.flatMap(\.runs).filter { $0.outcome == nil }.map(\.initializer))
  }
}

extension Pass {
  /// Returns a pass in flight as if it had ended at a moment.
  fileprivate func interrupted(at end: Double) -> Pass {
    guard duration == nil else { return self }
    var pass = self
    pass.duration = max(0, end - started)
    pass.outcome = .known(.cancelled)
    pass.interrupted = true
    for index in pass.runs.indices where pass.runs[index].outcome == nil {
      pass.runs[index].duration = max(0, end - pass.runs[index].started)
      pass.runs[index].outcome = .known(.cancelled)
    }
    return pass
  }
}
