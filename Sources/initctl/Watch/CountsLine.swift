internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// The progress of the current pass: `launch pass 1: 3 of 10 complete, 2 running, 1 retrying, 0 failed, 1.2 s, about 3.2 s left`.
struct CountsLine {
  private let situation: Situation
  private let phase: Phase
  private let state: Status.State

  init(_ situation: Situation) {
    self.situation = situation
    phase = Self.phase(in: situation.status)
    state = situation.state(of: phase)
  }

  /// Returns the phase to show: launch until it is complete, then active, if there is an active pass or the app is active.
  private static func phase(in status: Status) -> Phase {
    guard status.launch.state == .complete else { return .launch }
    return status.active.pass != nil || status.lifecycle == .active ? .active : .launch
  }

  /// One of the texts that are separated by commas.
  private struct Item {
    let text: String
    var color: Style.Color?
    /// The number of columns that the text may need: a duration below a minute keeps its line when it gets another digit.
    var room = 0
  }

  private var items: [Item] {
    let members = situation.members(of: phase)
    let done = members.count { situation.status.initializers[$0].isSatisfied }
    var running = 0
    var retrying = 0
    var failed = 0
    for each in situation.status.initializers where each.isInFlight || each.isBetweenAttempts || each.status == .failed
    {
      guard situation.phase(of: each) == phase else { continue }
      if each.isInFlight { running += 1 }
      if each.isBetweenAttempts { retrying += 1 }
      if each.status == .failed { failed += 1 }
    }
    var items = [
      Item(
        text: "\(title): \(done) of \(members.count)" + (state.state == .complete ? "" : " complete"),
        color: state.state.known?.color),
      Item(text: "\(running) running", color: running > 0 ? .cyan : nil),
      Item(text: "\(retrying) retrying", color: retrying > 0 ? .yellow : nil),
      Item(text: "\(failed) failed", color: failed > 0 ? .red : nil),
    ]
    if let elapsed { items.append(Item(text: Phrases.duration(elapsed), room: 7)) }
    if let rest { items.append(Item(text: rest, room: 18)) }
    return items
  }

  /// All counts on one line.
  var text: String { items.map(\.text).joined(separator: ", ") }

  /// Returns the counts in lines of at most that many columns; the last line may be longer.
  func lines(_ columns: Int) -> [ScreenLine] {
    var lines = [ScreenLine()]
    var used = 0
    for (index, item) in items.enumerated() {
      let text = item.text + (index == items.count - 1 ? "" : ",")
      let room = max(item.room, TextWidth.columns(text))
      if used > 0, used + 1 + room > columns {
        lines.append(ScreenLine(text, item.color))
        used = room
      } else {
        lines[lines.count - 1].add((used > 0 ? " " : "") + text, item.color)
        used += (used > 0 ? 1 : 0) + room
      }
    }
    return lines
  }

  /// The pass and its state: `launch pass 1`, `active pass 3 failed`, `active pass 4 cancelled`, `launch not started`.
  private var title: String {
    guard let pass = state.pass else {
      return "\(phase) " + (state.state == .pending ? "not started" : state.state.phrase)
    }
    let outcome = state.state == .pending ? Status.State.Name.cancelled.rawValue : state.state.phrase
    return "\(phase) pass \(pass)" + (situation.isInFlight(phase) ? "" : " \(outcome)")
  }

  /// The time since the pass could begin; for an ended pass, from its first run until its last run ended.
  private var elapsed: Double? {
    if let start = situation.start(of: phase) { return max(0, situation.now - start) }
    guard let pass = state.pass, !situation.isInFlight(phase) else { return nil }
    var start = Double.infinity
    var end = -Double.infinity
    for each in situation.status.initializers where each.pass == pass {
      if let first = each.firstStarted ?? each.started { start = min(start, first) }
      if let ended = each.ended { end = max(end, ended) }
    }
    return end >= start ? end - start : nil
  }

  private var rest: String? {
    guard let remaining = situation.remaining(of: phase) else { return nil }
    if remaining.seconds > 0 {
      return "\(remaining.isWhole ? "about" : "at least") \(Phrases.duration(remaining.seconds)) left"
    }
    return remaining.isWhole ? "longer than usual" : nil
  }
}
