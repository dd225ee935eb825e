internal import InitCore
internal import InitTimeline
internal import InitWire
internal import Libuv

/// What answers say, at the moment in which they can go out (protocol §3, §4).
final class Answers: Part {
  /// A Status that is written already.
  private struct Kept {
    let text: StatusText
    let version: Version
    let turn: Int
    let made: Duration
  }

  /// What a Status depends on: events told, steps of the machine, and what is wrong with the supervisor itself.
  struct Version: Equatable {
    let seq: Int
    let step: Int
    let warnings: Warnings
  }

  /// How old a Status may be that is sent to many, one after the other. It says of which moment it is, and nothing has changed since.
  private static let statusAge = Duration.milliseconds(100)

  /// The whole picture at this moment, and its version.
  var status: (() -> StatusShape)?
  var version: (() -> Version)?

  let core: Core
  private let broadcast: Broadcast
  private let log: SupervisorLog
  private let line: TurnLine
  private var history = History()
  /// The Status that was written last, while somebody may want it.
  private var kept: Kept?
  /// How many bytes the last Status had.
  private(set) var statusBytes = 0

  init(_ core: Core, broadcast: Broadcast, log: SupervisorLog, line: TurnLine) {
    (self.core, self.broadcast, self.log, self.line) = (core, broadcast, log, line)
  }

  /// The machine tells what has happened.
  func note(_ notice: Notice, at now: Instant) { history.note(notice, at: now) }

  /// Makes an answer.
  func frame(for reply: Reply, to id: RequestID, of client: Outgoing) throws(Message.Fault) -> [UInt8] {
    switch reply {
    case .state(let state): return try Message.answer(id: id, result: state)
    case .deactivated(let names): return try Message.answer(id: id, result: DeactivateResult(cancelled: names))
    case .error(let error): return try Message.answer(id: id, error: error.bounded)
    case .timedOut(let message):
      return try Message.timedOut(id: id, message, status: statusText(maximumAge: Self.statusAge))
    case .status: return try Message.answer(id: id, status: statusText())
    case .subscription(let topics):
      broadcast.subscribe(client, to: topics)
      return try Message.answer(id: id, status: statusText(), isSnapshot: true)
    case .logs(let params):
      return try Message.answer(
        id: id, result: LogsResult(lines: log.last(params.limit, of: params.initializer)))
    case .history(let params):
      let passes = history.passes(last: params.limit).map { PassShape($0, clock: core.clock) }
      return try Message.answer(id: id, result: HistoryResult(passes: passes))
    }
  }

  /// What stands in the place of an answer for which there is no room, when there never will be.
  func brief(_ reply: Reply) -> WireError {
    if case .error(let error) = reply { return error }
    guard !core.isEnding else { return WireError(Refusal.shuttingDown) }
    return WireError(
      .limitExceeded, "the connection closes before there is room for the answer: read sooner, or ask for less",
      detail: .limit("answerBytes"))
  }

  /// Whether events were dropped since a client fell behind.
  func isBehind(_ client: Int) -> Bool { broadcast.isBehind(client) }

  /// A client has read what was queued for it: how many events it missed, if it had fallen behind.
  func caughtUp(_ client: Int) -> Int? { broadcast.drained(client) }

  /// The Status for one who has caught up.
  func snapshot() throws(Message.Fault) -> [UInt8] { try Message.snapshot(statusText(maximumAge: Self.statusAge)) }

  /// The Status as text. It is made once for all who get it in the same turn, and for those who get it a little later as long as nothing has changed.
  private func statusText(maximumAge: Duration = .zero) -> StatusText {
    guard let status, let version = version?() else { preconditionFailure("nobody says what the Status is") }
    if let kept, kept.version == version, kept.turn == loop.turn || loop.now - kept.made <= maximumAge {
      return kept.text
    }
    let text = StatusText(status())
    statusBytes = text.bytes.count
    if kept == nil { loop.nextTurn { [weak self] in self?.dropStatus() } }
    kept = Kept(text: text, version: version, turn: loop.turn, made: loop.now)
    return text
  }

  /// Kept only as long as somebody is in line who may want it.
  private func dropStatus() {
    guard line.isWaited else {
      kept = nil
      return
    }
    loop.nextTurn { [weak self] in self?.dropStatus() }
  }
}
