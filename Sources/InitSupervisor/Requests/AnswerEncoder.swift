internal import EventLoop
internal import InitCore
internal import InitJSON
internal import InitModel
internal import InitRecords
internal import InitServer
internal import InitWire

/// Makes the answers that are encoded at the moment at which they can be sent (protocol §3, §4).
final class AnswerEncoder {
  /// An encoded Status.
  private struct Kept {
    let text: StatusText
    let version: StatusSource.Version
  }

  /// How long an encoded Status, and the texts of its initializers, are kept after its last use.
  private static let keptTime = Duration.seconds(1)

  let shared: SupervisorContext
  private let broadcast: Broadcast
  private let records: Records
  private let source: StatusSource
  /// The last encoded Status, if one was requested in the last second.
  private var kept: Kept?
  private let keptTimer: Timer

  init(_ shared: SupervisorContext, broadcast: Broadcast, records: Records, status: StatusSource) {
    self.shared = shared
    self.broadcast = broadcast
    self.records = records
    source = status
    keptTimer = Timer(loop: shared.loop, name: "kept status")
  }

  var status: DeferredAnswer {
    .status { [self] (id, _) throws(Message.Fault) in try Message.answer(id: id, status: statusText()) }
  }

  /// The Status, and events of these topics from there on.
  func subscription(to topics: Set<Topic>) -> DeferredAnswer {
    .status { [self] (id, client) throws(Message.Fault) in
      broadcast.subscribe(client, to: topics)
      return try Message.answer(id: id, status: statusText(), isSnapshot: true)
    }
  }

  /// An error for a wait that has timed out, with the Status of the moment in which it is encoded.
  func timedOut(_ message: String) -> DeferredAnswer {
    .status { [self] (id, _) throws(Message.Fault) in try Message.timedOut(id: id, message, status: statusText()) }
  }

  /// Output lines of commands.
  func logs(_ request: LogsRequest) -> DeferredAnswer {
    .page { [records] (id, _) throws(Message.Fault) in
      let result = LogsRequest.Result(records.log.page(LogPage.Selection(request)))
      return try Self.frame(id, result, isPart: result.more == true)
    }
  }

  /// Passes that have ended.
  func history(_ request: HistoryRequest) -> DeferredAnswer {
    .page { [records] (id, _) throws(Message.Fault) in
      let result = HistoryRequest.Result(request, of: records.passes)
      return try Self.frame(id, result, isPart: result.more == true)
    }
  }

  /// Encodes a page; a part of something larger has about the size of the largest page.
  private static func frame(
    _ id: RequestID, _ page: some JSONValue, isPart: Bool
  ) throws(Message.Fault) -> FrameParts {
    FrameParts(try Message.answer(id: id, result: page, reserving: isPart ? Page.largestAnswer : 0))
  }

  /// Returns the snapshot for a client that has caught up.
  func snapshot() throws(Message.Fault) -> FrameParts { try Message.snapshot(statusText()) }

  /// Returns the Status as JSON.
  ///
  /// If nothing has changed since the last encoding, only the values that change with time are encoded again.
  private func statusText() -> StatusText {
    let version = source.version
    let isCurrent = kept?.version == version
    let text = kept.flatMap { isCurrent ? $0.text.at(source.moment) : nil } ?? source.text
    kept = Kept(text: text, version: version)
    keptTimer.start(after: Self.keptTime) { [weak self] in
      self?.kept = nil
      self?.source.forgetTexts()
    }
    return text
  }
}

extension DeferredAnswer {
  /// The result of a wait.
  static func state(_ state: Status.State) -> DeferredAnswer {
    .small { (id, _) throws(Message.Fault) in FrameParts(try Message.answer(id: id, result: state)) }
  }

  /// The runs that a deactivation or an operator cancelled have stopped.
  static func deactivated(_ names: [String]) -> DeferredAnswer {
    .small { (id, _) throws(Message.Fault) in
      FrameParts(try Message.answer(id: id, result: DeactivateRequest.Result(cancelled: names)))
    }
  }
}
