internal import InitTimeline
internal import InitWire

extension Timeline {
  /// `pass 2 (active) complete in 1.2s; before, it waited 300ms for launch`.
  var phrase: String {
    let name = "pass \(pass.pass) (\(pass.phase.phrase))"
    let taken = Phrases.duration(duration)
    let outcome =
      switch self.outcome {
      case .complete: "complete in \(taken)"
      case .failed: "failed after \(taken)"
      case .cancelled: "cancelled after \(taken)"
      default: pass.opened == nil ? "has not opened yet" : "is running, for \(taken) so far"
      }
    let error = pass.error.map { ": \(TerminalText.escape($0.message))" } ?? ""
    let held = self.held < 0.0005 ? "" : "; before, it waited \(Phrases.duration(self.held)) for launch"
    let note = pass.duration == nil ? "; unfinished parts count up to now" : ""
    return "\(name) \(outcome)\(error)\(held)\(note)"
  }
}

extension Phrases {
  /// A duration in a table: empty for none.
  static func cell(_ seconds: Double) -> Table.Cell {
    seconds < 0.0005 ? "-" : Table.Cell(duration(seconds))
  }

  /// A change: `+1.2s`, `-300ms`, `±0ms`.
  static func change(_ seconds: Double) -> String {
    if abs(seconds) < 0.0005 { return "±0ms" }
    return (seconds < 0 ? "-" : "+") + duration(abs(seconds))
  }

  /// A change in percent: ` (-38%)`; empty if there is nothing to compare with.
  static func percent(_ before: Double, _ after: Double) -> String {
    guard before >= 0.0005 else { return "" }
    let percent = Int(min(((after - before) / before * 100).rounded(), 1e6))
    return " (\(percent < 0 ? "" : "+")\(percent)%)"
  }
}
