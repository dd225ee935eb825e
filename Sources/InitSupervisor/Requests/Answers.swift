internal import InitCore
internal import InitWire
internal import Libuv

/// Encodes the answers at the moment at which they can be sent (protocol §3, §4).
final class Answers: Part {
  /// An encoded Status.
  private struct Kept {
    let text: StatusText
    let version: Version
    let turn: Int
    let made: Duration
  }

  /// The version of a Status: the number of events, the machine's steps, and the supervisor's warnings.
  struct Version: Equatable {
    let seq: Int
    let step: Int
    let warnings: Warnings
  }

  /// How old a Status may be that is sent to many clients in turn. It contains its time, and nothing has changed since.
  private static let statusAge = Duration.milliseconds(100)

  /// The current Status and its version.
  var status: (() -> StatusShape)?
  var version: (() -> Version)?

  let core: Core
  private let broadcast: Broadcast
  private let log: SupervisorLog
  private let line: TurnLine
  private let passes: PassBook
  /// The last encoded Status, while a client may need it.
  private var kept: Kept?
  /// The size of the last Status, in bytes.
  private(set) var statusBytes = 0

  init(_ core: Core, broadcast: Broadcast, log: SupervisorLog, line: TurnLine, passes: PassBook) {
    (self.core, self.broadcast, self.log, self.line, self.passes) = (core, broadcast, log, line, passes)
  }

  /// Encodes an answer.
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
      return try Message.answer(id: id, result: passes.result(of: params))
    }
  }

  /// The short answer that replaces one that will never fit.
  func brief(_ reply: Reply) -> WireError {
    if case .error(let error) = reply { return error }
    guard !core.isEnding else { return WireError(Refusal.shuttingDown) }
    return WireError(
      .limitExceeded,
      "cannot send the answer: the connection is closing, and its queue is full; read faster, or request less",
      detail: .limit("answerBytes"))
  }

  /// Whether events were dropped since a client fell behind.
  func isBehind(_ client: Int) -> Bool { broadcast.isBehind(client) }

  /// A client's queue has drained: returns the number of missed events if it had fallen behind.
  func caughtUp(_ client: Int) -> Int? { broadcast.drained(client) }

  /// The snapshot for a client that has caught up.
  func snapshot() throws(Message.Fault) -> [UInt8] { try Message.snapshot(statusText(maximumAge: Self.statusAge)) }

  /// The Status as JSON. It is encoded once for all clients that get it in the same turn, and again only if something has changed or it is
  /// too old.
  private func statusText(maximumAge: Duration = .zero) -> StatusText {
    guard let status, let version = version?() else { preconditionFailure("the Status has no source") }
    if let kept, kept.version == version, kept.turn == loop.turn || loop.now - kept.made <= maximumAge {
      return kept.text
    }
    let text = StatusText(status())
    statusBytes = text.bytes.count
    if kept == nil { loop.nextTurn { [weak self] in self?.dropStatus() } }
    kept = Kept(text: text, version: version, turn: loop.turn, made: loop.now)
    return text
  }

  /// Keeps it only while a client that may need it waits.
  private func dropStatus() {
    guard line.isWaited else {
      kept = nil
      return
    }
    loop.nextTurn { [weak self] in self?.dropStatus() }
  }
}
