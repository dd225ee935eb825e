internal import EventLoop
internal import InitCore
internal import InitModel
internal import InitWire

/// Encodes the answers at the moment at which they can be sent (protocol §3, §4).
final class AnswerEncoder: Component {
  /// An encoded Status.
  private struct Kept {
    let text: StatusText
    let version: StatusSource.Version
  }

  /// How long an encoded Status, and the texts of its initializers, are kept after its last use.
  private static let keptTime = Duration.seconds(1)

  let shared: Shared
  private let broadcast: Broadcast
  private let records: Records
  private let status: StatusSource
  /// The last encoded Status, if one was requested in the last second.
  private var kept: Kept?
  private let keptTimer: Timer
  /// The size of the last Status, in bytes.
  private(set) var statusBytes = 0

  init(_ shared: Shared, broadcast: Broadcast, records: Records, status: StatusSource) {
    self.shared = shared
    self.broadcast = broadcast
    self.records = records
    self.status = status
    keptTimer = Timer(loop: shared.loop, name: "kept status")
  }

  /// Encodes an answer.
  func frame(for reply: DeferredAnswer, to id: RequestID, of client: Outgoing) throws(Message.Fault) -> FrameParts {
    switch reply {
    case .state(let state): return FrameParts(try Message.answer(id: id, result: state))
    case .deactivated(let names):
      return FrameParts(try Message.answer(id: id, result: DeactivateRequest.Result(cancelled: names)))
    case .error(let error): return FrameParts(try Message.answer(id: id, error: error.bounded))
    case .timedOut(let message):
      return try Message.timedOut(id: id, message, status: statusText())
    case .status: return try Message.answer(id: id, status: statusText())
    case .subscription(let topics):
      broadcast.subscribe(client, to: topics)
      return try Message.answer(id: id, status: statusText(), isSnapshot: true)
    case .logs(let params):
      let page = records.log.page(params)
      return FrameParts(try Message.answer(id: id, result: page, reserving: page.more == true ? Page.largestAnswer : 0))
    case .history(let params):
      let page = records.passes.result(of: params)
      return FrameParts(try Message.answer(id: id, result: page, reserving: page.more == true ? Page.largestAnswer : 0))
    }
  }

  /// Returns the short error that replaces an answer that will never fit.
  func brief(_ reply: DeferredAnswer) -> WireError {
    if case .error(let error) = reply { return error }
    guard !shared.isEnding else { return WireError(Refusal.shuttingDown) }
    return WireError(
      .limitExceeded,
      "cannot send the answer: the connection is closing, and its queue is full; read faster, or request less",
      detail: .limit("answerBytes"))
  }

  /// Returns the snapshot for a client that has caught up.
  func snapshot() throws(Message.Fault) -> FrameParts { try Message.snapshot(statusText()) }

  /// Returns the Status as JSON.
  ///
  /// If nothing has changed since the last encoding, only the values that change with time are encoded again.
  private func statusText() -> StatusText {
    let version = status.version
    let isCurrent = kept?.version == version
    let text = kept.flatMap { isCurrent ? $0.text.at(status.moment) : nil } ?? status.text
    statusBytes = text.count
    kept = Kept(text: text, version: version)
    keptTimer.start(after: Self.keptTime) { [weak self] in
      self?.kept = nil
      self?.status.forgetTexts()
    }
    return text
  }
}
