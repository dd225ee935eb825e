internal import DequeModule
internal import InitCore
internal import InitTimeline
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// What goes out to one client: answers, and the bounds that hold for them (protocol §2, §5).
///
/// - An answer is made when it can go out: a small one while no more than `answerBytes` are queued for the client, a Status if it fits in them
///   besides, and what may be of any size when nothing is queued. Until then a ``Reply`` stands in its place.
/// - Making answers is work of the turn: a client that asked for many gets its share, in line with the others.
/// - What all clients together have queued is bounded by `clientBytes`. Beyond that, the client that holds most is disconnected.
extension Supervisor {
  /// Answers a request: now, or when it is the client's turn and its queue has room.
  func reply(_ reply: Reply, _ id: RequestID, _ session: Session) {
    guard session.isReachable else { return }
    guard session.replies.isEmpty, hasRoom(for: reply, session), turns.share(in: loop.turn) > 0 else {
      session.replies.append((id, reply))
      if hasRoom(for: reply, session) { awaitTurn(session) }
      return
    }
    make(reply, id, session)
  }

  private func hasRoom(for reply: Reply, _ session: Session) -> Bool {
    let queued = session.stream.queuedBytes
    return switch reply {
    case .state, .deactivated, .error: queued <= limits.answerBytes
    // About as large as the last one was.
    case .timedOut, .status, .subscription: queued == 0 || queued + statusBytes <= limits.answerBytes
    case .logs, .history: queued == 0
    }
  }

  /// Makes the answers that the client is due, as far as its queue and its share of the turn go, and catches it up first if it had fallen behind.
  ///
  /// - Returns: whether that was all.
  func makeReplies(_ session: Session, share: Int) -> Bool {
    let before = turns.spent
    defer { session.debt.add(turns.spent - before, in: loop.turn) }
    if session.subscription.isBehind, session.stream.queuedBytes == 0 { catchUp(session) }
    while let (id, next) = session.replies.first {
      guard session.isReachable else { return false }
      guard hasRoom(for: next, session) else { return false }
      guard turns.spent - before < share else {
        awaitTurn(session)
        return false
      }
      session.replies.removeFirst()
      make(next, id, session)
    }
    return true
  }

  /// Makes all answers that the client is due, whoever else waits, because it is about to be told its last. What is large and finds no room is
  /// answered briefly: each request has its answer.
  func makeAllReplies(_ session: Session) {
    while let (id, next) = session.replies.popFirst() {
      if hasRoom(for: next, session) { make(next, id, session) } else { answer(session, id, brief(next)) }
    }
  }

  private func brief(_ reply: Reply) -> WireError {
    if case .error(let error) = reply { return error }
    guard !read({ $0.isEnding }) else { return WireError(Refusal.shuttingDown) }
    return WireError(
      .limitExceeded, "the connection closes before there is room for the answer: read sooner, or ask for less",
      detail: .limit("answerBytes"))
  }

  private func make(_ reply: Reply, _ id: RequestID, _ session: Session) {
    switch reply {
    case .state(let state): answer(session, id, result: state)
    case .deactivated(let names): answer(session, id, result: DeactivateResult(cancelled: names))
    case .error(let error): answer(session, id, error)
    case .timedOut(let message):
      answer(session, id) { () throws(Message.Fault) in
        try Message.timedOut(id: id, message, status: statusText(maximumAge: Self.statusAge))
      }
    case .status:
      answer(session, id) { () throws(Message.Fault) in try Message.answer(id: id, status: statusText()) }
    case .subscription(let topics):
      session.subscription = Subscription(topics: topics)
      answer(session, id) { () throws(Message.Fault) in
        try Message.answer(id: id, status: statusText(), isSnapshot: true)
      }
    case .logs(let params):
      answer(session, id, result: LogsResult(lines: logs.last(params.limit, of: params.initializer)))
    case .history(let params):
      let passes = history.passes(last: params.limit).map { PassShape($0, clock: clock) }
      answer(session, id, result: HistoryResult(passes: passes))
    }
  }

  /// Answers a request.
  func answer(_ session: Session, _ id: RequestID, result: some Shape) {
    answer(session, id) { () throws(Message.Fault) in try Message.answer(id: id, result: result) }
  }

  /// Answers a request, with an error where the answer can't be made. The time that it takes counts.
  private func answer(_ session: Session, _ id: RequestID, _ make: () throws(Message.Fault) -> [UInt8]) {
    let start = loop.now
    do throws(Message.Fault) {
      let frame = try make()
      send(frame, to: session)
      turns.spend(FairTurns.cost(ofBytes: frame.count, taking: loop.now - start))
    } catch {
      logger.warning("cannot answer \(session.name): \(error)")
      answer(
        session, id,
        WireError(
          .limitExceeded, "the answer would be larger than a frame may be: ask for less", detail: .limit("frameBytes")))
    }
  }

  /// Answers a request with an error; without an id, tells it.
  func answer(_ session: Session, _ id: RequestID?, _ error: WireError) {
    let bounded = WireError(code: error.code, message: error.message.cut(), detail: error.detail)
    do throws(Message.Fault) {
      send(try Message.answer(id: id, error: bounded), to: session)
    } catch {
      // A request has one answer, whatever happens. This one has nothing in it that can't be written.
      logger.error("cannot answer \(session.name): \(error)")
      close(session.id, because: "an answer to it can't be written")
    }
  }

  /// Sends a frame, and looks whether that is too much for all together.
  func send(_ frame: [UInt8], to session: Session) {
    guard session.isReachable else { return }
    session.stream.write(frame)
    account(for: session)
  }

  /// A subscriber that had fallen behind reads again: it is told how much it missed, and what is.
  private func catchUp(_ session: Session) {
    guard let dropped = session.subscription.drained() else { return }
    let start = loop.now
    tell(session, .lagged(dropped: dropped))
    guard let frame = try? Message.snapshot(statusText(maximumAge: Self.statusAge)) else {
      return close(session.id, because: "the Status is larger than a frame may be")
    }
    send(frame, to: session)
    turns.spend(FairTurns.cost(ofBytes: frame.count, taking: loop.now - start))
  }

  // MARK: The Status

  /// How old a Status may be that is sent to many, one after the other. It says of which moment it is, and nothing has changed since.
  private static let statusAge = Duration.milliseconds(100)

  /// The Status as text. It is made once for all who get it in the same turn, and for those who get it a little later as long as nothing has changed.
  func statusText(maximumAge: Duration = .zero) -> StatusText {
    let version = StatusVersion(seq: seq, step: steps)
    if let kept = keptStatus, kept.version == version, kept.turn == loop.turn || loop.now - kept.made <= maximumAge {
      return kept.text
    }
    let text = StatusText(status)
    statusBytes = text.bytes.count
    if keptStatus == nil { loop.performNextTurn { [weak self] in self?.assumeIsolated { $0.dropStatus() } } }
    keptStatus = KeptStatus(text: text, version: version, turn: loop.turn, made: loop.now)
    return text
  }

  /// Kept only as long as somebody is in line who may want it.
  private func dropStatus() {
    guard turns.isWaited else {
      keptStatus = nil
      return
    }
    loop.performNextTurn { [weak self] in self?.assumeIsolated { $0.dropStatus() } }
  }

  // MARK: What all hold together

  /// Keeps the sum of what all clients hold.
  func account(for session: Session) {
    let held = session.heldBytes
    clientBytes += held - session.countedBytes
    session.countedBytes = held
    guard clientBytes > limits.clientBytes, !isEvicting else { return }
    isEvicting = true
    // In a turn of its own: this may be the middle of a step.
    later { $0.evict() }
  }

  /// Disconnects who holds most, until all together hold what they may; root and the own user last.
  private func evict() {
    isEvicting = false
    clientBytes = 0
    for session in sessions.values {
      session.countedBytes = session.heldBytes
      clientBytes += session.countedBytes
    }
    while clientBytes > limits.clientBytes {
      let all = sessions.values.filter { $0.countedBytes > 0 }
      let others = all.filter { !isOwn($0.peer) || $0.isReadOnly }
      guard let most = (others.isEmpty ? all : others).max(by: { $0.countedBytes < $1.countedBytes }) else { return }
      logger.warning(
        """
        disconnected \(most.name.isEmpty ? "a client" : most.name) (user \(most.peer.uid)\(most.peer.pid.map { ", pid \($0)" } ?? "")): it \
        held \(most.countedBytes >> 10) KiB, and all clients together may hold \(limits.clientBytes >> 10) KiB; raise --limit clientBytes, \
        or have it read what it asks for
        """)
      close(most)
    }
  }
}

/// A Status that is written already.
struct KeptStatus {
  let text: StatusText
  let version: StatusVersion
  let turn: Int
  let made: Duration
}

/// What a Status depends on: events told, and steps of the machine.
struct StatusVersion: Equatable {
  let seq: Int
  let step: Int
}
