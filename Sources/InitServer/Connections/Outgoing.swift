internal import DequeModule
internal import EventLoop
package import InitJSON
package import InitModel
internal import InitText
package import InitWire
internal import Logging

/// The messages to one client: events, and answers in the order of their requests (protocol §2, §5).
///
/// An answer is encoded when it can be sent. A small answer is encoded while at most `answerBytes` are queued for the client, a Status if
/// it also fits into these, and an answer of any size when nothing is queued. Until then, a ``DeferredAnswer`` stands for the
/// answer. Encoding answers counts as the client's share of the turn, so a client with many requests doesn't delay the others. A message of
/// more than `pieceBytes` is written in pieces, one in each of the client's turns; later messages wait behind it.
package final class Outgoing {
  // An event reads these fields of each subscriber: the first fields share one or two cache lines.
  private let stream: Stream
  /// The events that the client has subscribed to.
  var subscription: Subscription?

  /// The client's number.
  package let id: Int
  /// The peer's user, whose account its costs are added to.
  package let user: UInt32
  /// Whether the peer is root or the supervisor's own user.
  package let isOwn: Bool
  /// The client's name, from hello.
  package var name = ""
  /// The session of the client, until it is closed.
  var session: Session?
  /// The memory of the client's open waits.
  package var waitBytes = 0 { didSet { if waitBytes > oldValue { session?.account() } } }

  private let context: ServerContext
  private let line: TurnLine
  private let delegate: any ServerDelegate
  private var replies: Deque<(id: RequestID, reply: DeferredAnswer)> = []
  /// The peak number of pending answers.
  ///
  /// The queue keeps room for the answers until it is empty.
  private var replyCapacity = 0
  private var unwritten = UnwrittenMessages()
  /// Whether the client has been sent its last message.
  private var isClosed = false

  /// At most this number of bytes of a message is written in one turn.
  private static let pieceBytes = 64 * 1024

  init(
    _ context: ServerContext, id: Int, user: UInt32, isOwn: Bool, stream: Stream, line: TurnLine,
    delegate: any ServerDelegate
  ) {
    self.context = context
    self.id = id
    self.stream = stream
    self.line = line
    self.delegate = delegate
    self.user = user
    self.isOwn = isOwn
  }

  /// The bytes that are queued for the client.
  var queuedBytes: Int { stream.queuedBytes + unwritten.bytes }

  /// Whether a part of a message waits for the client's next turn.
  var isUnwritten: Bool { !unwritten.isEmpty }

  /// The number of pending answers.
  package var replyCount: Int { replies.count }

  /// The bytes of the client's memory: the messages that are queued, and estimates for pending answers and open waits.
  var heldBytes: Int { stream.heldBytes + unwritten.memory + replyCapacity * Self.bytesOfReply + waitBytes }
  /// The bytes of the client's messages: a large message keeps its memory until its last byte is written.
  private var messageBytes: Int { stream.queuedBytes + unwritten.memory }
  /// The estimated memory of a pending answer: its entry in the queue, which doubles when it grows, and its texts.
  private static let bytesOfReply = 2 * MemoryLayout<(RequestID, DeferredAnswer)>.stride + 128

  /// Whether the client reads its answers too slowly, so no more requests are read from it.
  var isOwed: Bool { !replies.isEmpty || isFull }
  /// Whether the client's queue exceeds the limit.
  var isFull: Bool { queuedBytes > context.limits.answerBytes }
  /// Whether events were dropped since the subscriber fell behind.
  var isBehind: Bool { subscription?.isBehind == true }

  /// Queues the client for its next share of a turn.
  func waitForTurn() { line.wait(self) }

  /// Answers a request: now, or when it is the client's turn and its queue has room.
  package func reply(_ reply: DeferredAnswer, to id: RequestID) {
    guard !isClosed else { return }
    // A large answer waits for the client's turn even if there is room in this one: its cost is known only afterwards.
    guard replies.isEmpty, hasRoom(for: reply), line.share(of: self) > 0, isOwn || !reply.isLarge else {
      replies.append((id, reply))
      if replies.count > replyCapacity {
        replyCapacity = replies.count
        session?.account()
      }
      if hasRoom(for: reply) { waitForTurn() }
      return
    }
    make(reply, id)
  }

  private func hasRoom(for reply: DeferredAnswer) -> Bool {
    switch reply {
    case .error, .small: !isFull
    // Assumes that the answer is about as large as the last one.
    case .status: messageBytes == 0 || messageBytes + context.statusBytes <= context.limits.answerBytes
    case .page: queuedBytes == 0
    }
  }

  /// Encodes pending answers, as far as the client's queue and its share of the turn allow.
  ///
  /// Makes the answers that can be sent; a client that had fallen behind gets its snapshot first.
  ///
  /// - Returns: whether none is pending any more.
  func makeReplies(share: Int) -> Bool {
    let before = line.spent
    writePiece()
    if isBehind, queuedBytes == 0 { catchUp() }
    while let (request, next) = replies.first {
      guard !isClosed, hasRoom(for: next) else { return false }
      guard line.spent - before < share else {
        waitForTurn()
        return false
      }
      replies.removeFirst()
      make(next, request)
    }
    replies = []
    replyCapacity = 0
    return true
  }

  /// Sends the events until now, and encodes all pending answers, regardless of other clients' shares, because its last message follows.
  ///
  /// Replaces a large answer without room by a short error, so each request gets an answer.
  func makeAllReplies() {
    subscription?.audience.deliver(to: self)
    while let (request, next) = replies.popFirst() {
      if hasRoom(for: next) { make(next, request) } else { refuse(request, errorInstead(of: next)) }
    }
    replyCapacity = 0
  }

  /// Returns the short error that replaces an answer that will never fit.
  private func errorInstead(of reply: DeferredAnswer) -> WireError {
    if case .error(let error) = reply { return error }
    return delegate.endingError
      ?? WireError(
        .limitExceeded,
        "cannot send the answer: the connection is closing, and its queue is full; read faster, or request less",
        detail: .limit("answerBytes"))
  }

  private func make(_ reply: DeferredAnswer, _ id: RequestID) {
    write(id) { () throws(Message.Fault) in
      switch reply {
      case .error(let error): return FrameParts(try Message.answer(id: id, error: error.bounded))
      case .small(let encode), .page(let encode): return try encode(id, self)
      case .status(let encode):
        let frame = try encode(id, self)
        context.statusBytes = frame.count
        return frame
      }
    }
  }

  /// Answers a request at once.
  package func answer(_ id: RequestID, _ result: some JSONValue) {
    write(id) { () throws(Message.Fault) in FrameParts(try Message.answer(id: id, result: result)) }
  }

  /// Sends an answer, or an error if it can't be encoded.
  ///
  /// The time to make the answer counts as part of the client's share.
  private func write(_ id: RequestID, _ make: () throws(Message.Fault) -> FrameParts) {
    let start = context.loop.now
    do throws(Message.Fault) {
      let frame = try make()
      send(frame)
      line.spend(bytes: min(frame.count, Self.pieceBytes), since: start, of: self)
    } catch {
      context.logger.warning("cannot answer \(name): \(error)")
      refuse(
        id,
        WireError(
          .limitExceeded, "the answer exceeds the maximum size of a frame: request less", detail: .limit("frameBytes")))
    }
  }

  /// Answers a request with an error; without an id, sends the error as a notification.
  package func refuse(_ id: RequestID?, _ error: WireError) {
    do throws(Message.Fault) {
      send(try Message.answer(id: id, error: error.bounded))
    } catch {
      // Each request gets exactly one answer. This message contains nothing that can't be encoded.
      context.logger.error("cannot answer \(name): \(error)")
      session?.disconnect(because: "an error message can't be encoded")
    }
  }

  /// Sends an event that has no number of its own.
  package func notify(_ body: Status.Event.Body) {
    if let frame = try? Message.notification(Status.Event(unnumbered: body)) { send(frame) }
  }

  /// Sends a frame.
  package func send(_ frame: [UInt8]) { send(FrameParts(frame)) }

  private func send(_ frame: FrameParts) {
    guard !isClosed else { return }
    subscription?.audience.deliver(to: self)
    if isUnwritten || frame.count > Self.pieceBytes {
      append(frame)
    } else {
      stream.write(frame.bytes)
    }
    if queuedBytes > 0 { session?.account() }
  }

  /// Queues a message for the client's turns.
  ///
  /// Writes the first piece of the first message at once.
  private func append(_ frame: FrameParts) {
    let isFirst = !isUnwritten
    for part in frame.parts { unwritten.append(part.fitted) }
    if isFirst { writePiece() }
  }

  /// Writes the next piece, unless the kernel hasn't accepted the previous piece yet; then the stream's drain gives the client a turn.
  private func writePiece() {
    guard isUnwritten, stream.queuedBytes == 0 else { return }
    let start = context.loop.now
    var room = Self.pieceBytes
    while room > 0, let piece = unwritten.next(room) {
      room -= piece.count
      stream.write(piece)
    }
    line.spend(bytes: 0, since: start, of: self)
    if isUnwritten, stream.queuedBytes == 0 { waitForTurn() }
  }

  /// Writes everything, because nothing follows.
  func writeAll() {
    while let message = unwritten.next(.max) { stream.write(message) }
  }

  /// Sends the events of its audience that it hasn't seen, if it keeps up.
  func deliver(_ events: UnsafeRawBufferPointer, _ ends: [Int], limit: Int, isLast: Bool) {
    let queued = queuedBytes
    let start = subscription?.receive(
      ends, queued: queued, limit: queued > 0 && session?.isCrowding == true ? 0 : limit, isLast: isLast)
    guard let start else { return }
    let events = UnsafeRawBufferPointer(rebasing: events[start...])
    guard !isUnwritten else {
      append(FrameParts(Array(events)))
      session?.account()
      return
    }
    // The last events are sent before the poll, others with the messages that follow.
    if isLast { stream.write(shared: events) } else { stream.write(Array(events)) }
    if queuedBytes > 0 { session?.account() }
  }

  /// Sends the number of missed events, and a snapshot, to a subscriber that had fallen behind and has caught up.
  private func catchUp() {
    subscription?.audience.deliver(to: self)
    guard let dropped = subscription?.drained() else { return }
    let start = context.loop.now
    notify(.lagged(dropped: dropped))
    guard let frame = try? delegate.snapshot() else {
      session?.disconnect(because: "the Status exceeds the maximum size of a frame")
      return
    }
    context.statusBytes = frame.count
    send(frame)
    line.spend(bytes: min(frame.count, Self.pieceBytes), since: start, of: self)
  }

  /// Stops sending: the client has been sent its last message, and now gets only the events until now.
  func close() {
    subscription?.audience.deliver(to: self)
    isClosed = true
    unwritten = UnwrittenMessages()
    replies = []
    replyCapacity = 0
    session = nil
  }
}

extension WireError {
  /// The same with a message that fits in a frame.
  var bounded: WireError { WireError(code: code, message: message.cut(), detail: detail) }
}
