internal import DequeModule
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging

/// What goes out to one client: events, and answers in the order in which they are due (protocol §2, §5).
///
/// An answer is made when it can go out: a small one while no more than `answerBytes` are queued for the client, a Status if it fits in them
/// besides, and what may be of any size when nothing is queued. Until then a ``Reply`` stands in its place. Making answers is work of the turn:
/// a client that asked for many gets its share, in line with the others.
final class Outgoing: Part {
  /// The client's number.
  let id: Int
  /// What the client calls itself.
  var name = ""
  /// What is held for it has grown.
  var onGrowth: () -> Void = {}
  /// It has to be disconnected, for this reason.
  var onFault: (String) -> Void = { _ in }

  let core: Core
  private let stream: Stream
  private let line: TurnLine
  private let answers: Answers
  private var replies: Deque<(id: RequestID, reply: Reply)> = []
  /// It has been told its last.
  private var isClosed = false

  init(_ core: Core, id: Int, stream: Stream, line: TurnLine, answers: Answers) {
    (self.core, self.id, self.stream, self.line, self.answers) = (core, id, stream, line, answers)
  }

  /// The bytes that are queued for it.
  var queuedBytes: Int { stream.queuedBytes }

  /// How many answers are to be made for it.
  var replyCount: Int { replies.count }

  /// The bytes that are kept for it: queued, and of answers to come.
  var heldBytes: Int { queuedBytes + replies.count * Self.bytesOfReply }
  /// About what an answer takes that hasn't been made.
  private static let bytesOfReply = 256

  /// Whether it reads its answers too slowly to be asked for more.
  var isOwed: Bool { !replies.isEmpty || isFull }
  /// Whether more is queued for it than may be.
  var isFull: Bool { queuedBytes > limits.answerBytes }
  /// Whether events were dropped since it fell behind.
  var isBehind: Bool { answers.isBehind(id) }

  /// Answers a request: now, or when it is the client's turn and its queue has room.
  func reply(_ reply: Reply, to id: RequestID) {
    guard !isClosed else { return }
    guard replies.isEmpty, hasRoom(for: reply), line.share > 0 else {
      replies.append((id, reply))
      if hasRoom(for: reply) { line.wait(self.id) }
      return
    }
    make(reply, id)
  }

  private func hasRoom(for reply: Reply) -> Bool {
    switch reply {
    case .state, .deactivated, .error: !isFull
    // About as large as the last one was.
    case .timedOut, .status, .subscription:
      queuedBytes == 0 || queuedBytes + answers.statusBytes <= limits.answerBytes
    case .logs, .history: queuedBytes == 0
    }
  }

  /// Makes the answers that the client is due, as far as its queue and its share of the turn go, and catches it up first if it had fallen behind.
  ///
  /// - Returns: whether that was all.
  func makeReplies(share: Int) -> Bool {
    let before = line.spent
    defer { line.charge(line.spent - before, to: id) }
    if isBehind, queuedBytes == 0 { catchUp() }
    while let (request, next) = replies.first {
      guard !isClosed, hasRoom(for: next) else { return false }
      guard line.spent - before < share else {
        line.wait(id)
        return false
      }
      replies.removeFirst()
      make(next, request)
    }
    return true
  }

  /// Makes all answers that the client is due, whoever else waits, because it is about to be told its last. What is large and finds no room is
  /// answered briefly: each request has its answer.
  func makeAllReplies() {
    while let (request, next) = replies.popFirst() {
      if hasRoom(for: next) { make(next, request) } else { refuse(request, answers.brief(next)) }
    }
  }

  private func make(_ reply: Reply, _ id: RequestID) {
    write(id) { () throws(Message.Fault) in try answers.frame(for: reply, to: id, of: self) }
  }

  /// Answers a request at once.
  func answer(_ id: RequestID, _ result: some Shape) {
    write(id) { () throws(Message.Fault) in try Message.answer(id: id, result: result) }
  }

  /// Sends an answer, or an error if it can't be made. The time that it takes counts.
  private func write(_ id: RequestID, _ make: () throws(Message.Fault) -> [UInt8]) {
    let start = loop.now
    do throws(Message.Fault) {
      let frame = try make()
      send(frame)
      line.spend(bytes: frame.count, since: start)
    } catch {
      logger.warning("cannot answer \(name): \(error)")
      refuse(
        id,
        WireError(
          .limitExceeded, "the answer would be larger than a frame may be: ask for less", detail: .limit("frameBytes")))
    }
  }

  /// Answers a request with an error; without an id, tells it.
  func refuse(_ id: RequestID?, _ error: WireError) {
    do throws(Message.Fault) {
      send(try Message.answer(id: id, error: error.bounded))
    } catch {
      // A request has one answer, whatever happens. This one has nothing in it that can't be written.
      logger.error("cannot answer \(name): \(error)")
      onFault("an answer to it can't be written")
    }
  }

  /// Sends an event that has no number of its own.
  func tell(_ body: EventBody) {
    if let frame = try? Message.notification(.event(EventParams(unnumbered: body))) { send(frame) }
  }

  /// Sends a frame.
  func send(_ frame: [UInt8]) {
    guard !isClosed else { return }
    stream.write(frame)
    onGrowth()
  }

  /// A subscriber that had fallen behind reads again: it is told how many events it missed, and what is.
  private func catchUp() {
    guard let dropped = answers.caughtUp(id) else { return }
    let start = loop.now
    tell(.lagged(dropped: dropped))
    guard let frame = try? answers.snapshot() else { return onFault("the Status is larger than a frame may be") }
    send(frame)
    line.spend(bytes: frame.count, since: start)
  }

  /// It has been told its last: nothing is sent any more.
  func close() {
    isClosed = true
    replies = []
  }
}

extension WireError {
  /// The same with a message that fits in a frame.
  var bounded: WireError { WireError(code: code, message: message.cut(), detail: detail) }
}
