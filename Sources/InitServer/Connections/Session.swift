internal import EventLoop
internal import InitText
package import InitWire
internal import Logging
package import Platform

/// A client's connection, from accept to close: reads its frames, and takes its share of the loop's turns (protocol §1, §2).
package final class Session {
  /// Can transition to: `silent` → `open`; either → `leaving` → `closed`, or straight to `closed`.
  package enum State {
    /// The client hasn't sent hello.
    case silent
    /// The client has sent hello.
    case open
    /// The client was sent its last message.
    ///
    /// Messages of the client are dropped until it disconnects or the farewell times out.
    case leaving
    /// The connection is closed.
    case closed
  }

  /// Unique for the life of the supervisor.
  package var id: Int { out.id }
  /// The client's name, from hello.
  package var name: String { out.name }
  /// The peer, as the kernel reports it.
  package let peer: PeerCredentials
  /// The permissions.
  package let roles: Roles
  /// Whether the client is connected to the observers' socket.
  package let isReadOnly: Bool
  /// Sends the messages to the client.
  package let out: Outgoing
  package private(set) var state = State.silent
  /// Whether reading is paused: its share of the turn is used up, or it doesn't read its answers.
  private(set) var isPaused = false

  /// The cost of a read of an incomplete frame, whose bytes are copied.
  private static let costOfRead = 5

  private let context: ServerContext
  private let stream: Stream
  private let line: TurnLine
  private let connections: Connections
  /// The deadlines of hello, of an incomplete frame, and of the farewell.
  private var timer: EventLoop.Timer?
  private var decoder = FrameDecoder()
  /// Whether the client has closed its writing side.
  private var hasEnded = false
  /// The deadline of the incomplete frame.
  private var frameDeadline: Duration?
  /// The time at which reading was paused, if it is paused.
  private var pausedSince = Duration.zero

  init(
    _ context: ServerContext, _ out: Outgoing, stream: Stream, peer: PeerCredentials, roles: Roles, isReadOnly: Bool,
    line: TurnLine, connections: Connections
  ) {
    self.context = context
    self.out = out
    self.stream = stream
    self.peer = peer
    self.roles = roles
    self.isReadOnly = isReadOnly
    self.line = line
    self.connections = connections
    // This and the closures keep the session alive until it is closed, which drops them.
    out.session = self
    stream.onRead = { self.received($0) }
    stream.onEnd = { self.ended() }
    // A write may call this in the middle of a step.
    stream.onError = { _ in self.loop.later { self.close() } }
    stream.onDrain = { self.drained() }
  }

  private var limits: ClientLimits { context.limits }
  private var loop: Loop { context.loop }

  /// The bytes of the client's memory, as they are allocated.
  var heldBytes: Int { out.heldBytes + decoder.capacity }

  /// Counts the client's memory again, which may have changed.
  func account() { connections.account(for: self) }

  /// Whether the client gets no events for now if others are queued for it, because clients use much memory.
  var isCrowding: Bool { connections.isCrowding(self) }

  /// The share of the memory of all clients, as last counted.
  var countedBytes = 0

  /// Whether messages can be sent to the client.
  package var isReachable: Bool {
    switch state {
    case .silent, .open: true
    case .leaving, .closed: false
    }
  }

  /// Starts reading; hello must arrive before its deadline.
  func start() {
    startTimer(at: loop.now + limits.helloTimeout) { self.close() }
    stream.resumeReading()
  }

  /// Opens the session after its hello.
  package func greeted(as name: String) {
    state = .open
    out.name = name
    decoder.limit = limits.frameBytes
    stopTimer()
  }

  // MARK: Incoming frames

  private func received(_ bytes: UnsafeRawBufferPointer) {
    guard isReachable else { return }
    let start = loop.now
    handleFrames(in: bytes)
    if !isPaused, decoder.bufferedBytes > 0 {
      // The bytes of an incomplete frame have a cost too: they are copied, and copied again if the buffer grows.
      line.spend(max(Self.costOfRead, FairTurns.units(loop.now - start)), of: out)
      if line.isUsedUp { waitForTurn() }
    }
    account()
  }

  /// Takes pending frames, as long as the client's share of the turn allows and the client reads its answers.
  ///
  /// - Parameters:
  ///   - arrived: the bytes that were just read.
  ///   - least: the minimum cost that the client may spend.
  ///   - isTurn: whether the client has waited for its turn; then it isn't sent back to wait, even if its user has a debt.
  private func handleFrames(
    in arrived: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0), atLeast least: Int = 0,
    isTurn: Bool = false
  ) {
    var arrived = arrived
    defer { if !arrived.isEmpty { decoder.append(arrived) } }
    let share = max(least, line.share(of: out))
    let before = line.spent
    if !isTurn, line.isHeavy(out), decoder.bufferedBytes + arrived.count > 0 { return waitForTurn() }
    var start = loop.now
    do throws(FrameFault) {
      while isReachable, !isPaused, decoder.bufferedBytes + arrived.count > 0 {
        guard line.spent - before < share else { return waitForTurn() }
        let left = decoder.bufferedBytes + arrived.count
        guard let payload = try decoder.next(in: &arrived) else { break }
        // The bytes after the frame belong to a new one.
        frameDeadline = nil
        let spent = line.spent
        let size = left - decoder.bufferedBytes - arrived.count
        connections.delegate.handle(Envelope(payload: payload), from: self)
        let end = loop.now
        // The cost of the answer is already counted.
        let cost = FairTurns.cost(ofBytes: size, taking: end - start)
        start = end
        line.spend(max(0, cost - (line.spent - spent)), of: out)
        // A leaving client is still read, to detect when it disconnects.
        if isReachable, out.isOwed { pause() }
      }
    } catch {
      return farewell(WireError(error))
    }
    watchFrame()
  }

  /// Watches the deadline of an incomplete frame (protocol §1).
  private func watchFrame() {
    guard state == .open, !isPaused else { return }
    guard decoder.isMidFrame else { return stopTimer() }
    let deadline = frameDeadline ?? loop.now + limits.frameTimeout
    guard frameDeadline != deadline || timer?.isActive != true else { return }
    frameDeadline = deadline
    startTimer(at: deadline) {
      self.farewell(
        WireError(.parseError, "the frame wasn't complete \(self.limits.frameTimeout.words) after its first byte"))
    }
  }

  private func startTimer(at deadline: Duration, then action: @escaping () -> Void) {
    let timer = timer ?? Timer(loop: loop, name: "session")
    self.timer = timer
    timer.start(at: deadline, then: action)
  }

  /// Frees the timer: most connections are idle.
  private func stopTimer() {
    timer?.close()
    timer = nil
  }

  private func waitForTurn() {
    pause()
    out.waitForTurn()
  }

  private func pause() {
    guard !isPaused else { return }
    isPaused = true
    pausedSince = loop.now
    stream.pauseReading()
    if state == .open { stopTimer() }
  }

  /// Encodes the pending answers and continues to read: it is the client's turn, or its queue has room.
  ///
  /// - Parameters:
  ///   - least: the minimum cost that the client may spend.
  ///   - isTurn: whether the client has waited for its turn.
  func resume(atLeast least: Int = 0, isTurn: Bool) {
    guard isReachable else { return }
    let isDone = out.makeReplies(share: max(least, line.share(of: out)))
    account()
    guard isDone else { return }
    farewellIfEnded()
    guard isReachable, isPaused, !out.isFull else { return }
    isPaused = false
    // A frame's deadline is extended by the time in which reading was paused.
    frameDeadline = frameDeadline.map { $0 + (loop.now - pausedSince) }
    handleFrames(atLeast: least, isTurn: isTurn)
    guard isReachable, !isPaused else { return }
    // The poll reads from all clients whose reading is resumed in this turn.
    if isTurn, line.isHeavy(out) { line.spend(Self.costOfRead, of: out) }
    stream.resumeReading()
  }

  /// Resumes after the queue has drained: a slow subscriber gets its snapshot (protocol §5), and reading continues.
  private func drained() {
    account()
    guard isReachable else { return }
    if out.isBehind || out.isUnwritten {
      // Each gets a whole Status, or a piece of an answer, so they get theirs one after the other.
      out.waitForTurn()
    } else if !line.isWaiting(id) {
      resume(isTurn: false)
    }
  }

  // MARK: Closing

  /// Sends a client its last message, and closes when it has disconnected or the farewell has timed out.
  ///
  /// - Parameters:
  ///   - error: the reason, if the client did something wrong.
  ///   - id: the identifier of the request that the error answers.
  package func farewell(_ error: WireError? = nil, id: RequestID? = nil) {
    guard isReachable else { return }
    out.makeAllReplies()
    if let error { out.refuse(id, error) }
    out.writeAll()
    state = .leaving
    // If the client has closed its side, or the supervisor has ended, the connection can be closed as soon as the kernel has the last
    // message: the client can still read it.
    stream.finishWriting { if self.hasEnded || self.connections.isEnded { self.loop.later { self.close() } } }
    stream.resumeReading()
    startTimer(at: loop.now + limits.farewell) { self.close() }
    leave()
  }

  /// Handles a client that has closed its writing side.
  ///
  /// Closes the session when the client has been sent its answers.
  private func ended() {
    hasEnded = true
    guard isReachable else { return close() }
    farewellIfEnded()
  }

  /// Closes the connection of a client that has closed its writing side, after it has been sent its pending answers as its queue allows.
  private func farewellIfEnded() {
    guard hasEnded, isReachable, out.replyCount == 0, !out.isUnwritten else { return }
    guard !connections.delegate.isSettling else { return loop.nextTurn { [weak self] in self?.farewellIfEnded() } }
    farewell()
  }

  /// Closes the connection in the next turn, and logs the reason.
  package func disconnect(because reason: String) {
    loop.later {
      guard self.state != .closed else { return }
      self.context.logger.warning("disconnected \(self.name): \(reason)")
      self.close()
    }
  }

  /// Closes the connection; the client's subscription, waits, registrations and hold are removed with it.
  package func close() {
    guard state != .closed else { return }
    let wasReachable = isReachable
    state = .closed
    stopTimer()
    if wasReachable { leave() }
    stream.close()
    connections.closed(self)
  }

  private func leave() {
    out.close()
    connections.delegate.forget(self)
  }
}
