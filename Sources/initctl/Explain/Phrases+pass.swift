internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

extension Timeline {
  /// `pass 2 (active) complete in 1.2 s; before, it waited 300 ms for launch`.
  var phrase: String {
    let name =
      joint.map { "passes \($0.launch.pass) and \($0.active.pass) (launch and active)" }
      ?? "pass \(pass.pass) (\(pass.phase.phrase))"
    if let delay { return "\(name) \(delay)" }
    let taken = Phrases.duration(duration)
    let outcome =
      switch self.outcome {
      case .complete: "complete in \(taken)"
      case .failed: "failed after \(taken)"
      case .cancelled where pass.interrupted == true: "interrupted after \(taken), when its supervisor ended"
      case .cancelled: "cancelled after \(taken)"
      default: "is running, for \(taken) so far"
      }
    let error = pass.error.map { ": \(TerminalText.escape($0.message))" } ?? ""
    let held = self.held < 0.0005 ? "" : "; before, it waited \(Phrases.duration(self.held)) for launch"
    let parts =
      boundary.map { "; launch took \(Phrases.duration($0 - opened)), the active pass \(Phrases.duration(now - $0))" }
      ?? ""
    let note = pass.duration == nil ? "; unfinished parts count up to now" : ""
    return "\(name) \(outcome)\(error)\(held)\(parts)\(note)"
  }
}

extension Phrases {
  /// Returns `1.9 of 2 cores`.
  static func cores(_ used: Double, of cores: Double) -> String {
    "\(tenths(used)) of \(tenths(cores)) \(cores == 1 ? "core" : "cores")"
  }

  /// Returns a number with at most one decimal.
  static func tenths(_ number: Double) -> String {
    let tenths = Int((min(max(number, 0), 1e6) * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  /// Formats a duration for a table: empty for none.
  static func cell(_ seconds: Double) -> Table.Cell {
    seconds < 0.0005 ? "-" : Table.Cell(duration(seconds))
  }

  /// Describes how a duration changes: `1.2 s to 1.5 s (+25%)`.
  static func change(from before: Double, to after: Double) -> String {
    "\(duration(before)) to \(duration(after))" + (percent(before, after).map { " (\($0))" } ?? "")
  }
}
