internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// Who is told what comes of a session.
protocol SessionDelegate: AnyObject {
  /// It has sent a message.
  func take(_ envelope: Envelope, from session: Session)
  /// It has been told its last, or is gone: nothing is sent to it any more.
  func left(_ session: Session)
  /// Its connection is closed.
  func closed(_ session: Session)
  /// What it holds may have changed.
  func account(for session: Session)
  /// Whether answers are settled that haven't been handed to their sessions.
  var isSettling: Bool { get }
  /// Whether the supervisor has ended: nobody stays longer than it takes to be told its last.
  var isEnded: Bool { get }
}

/// A client's connection, from accept to close: frames in, and its share of the loop's turns (protocol §1, §2).
final class Session: Part {
  /// Can transition to: `silent` → `open`; either → `leaving` → `closed`, or straight to `closed`.
  enum State {
    /// It hasn't said hello.
    case silent
    /// It has.
    case open
    /// It was told its last; what it sends is dropped until it goes or its time is up.
    case leaving
    /// It is gone.
    case closed
  }

  /// Unique for the life of the supervisor; also its number as a worker and as the holder of a hold.
  var id: Int { out.id }
  /// What it calls itself.
  var name: String { out.name }
  /// Who is at the other end, by the kernel's word.
  let peer: PeerCredentials
  /// What it may do.
  let roles: Roles
  /// It came by the socket for observers.
  let isReadOnly: Bool
  /// What goes out to it.
  let out: Outgoing
  private(set) var state = State.silent
  /// Nothing more is read from it for now: its turn is over, or it doesn't read its answers.
  private(set) var isPaused = false

  let core: Core
  private let stream: Stream
  private let line: TurnLine
  private unowned let delegate: any SessionDelegate
  /// For the hello, for a frame that has begun, for its farewell.
  private let timer: Libuv.Timer
  private var decoder = FrameDecoder()
  /// It sends no more.
  private var hasEnded = false
  /// When the frame that has begun has to be complete.
  private var frameDeadline: Duration?
  /// Since when nothing is read from it, if that is so.
  private var pausedSince = Duration.zero

  init(
    _ core: Core, _ out: Outgoing, stream: Stream, peer: PeerCredentials, roles: Roles, isReadOnly: Bool,
    line: TurnLine, delegate: any SessionDelegate
  ) {
    (self.core, self.out, self.stream, self.peer, self.roles) = (core, out, stream, peer, roles)
    (self.isReadOnly, self.line, self.delegate) = (isReadOnly, line, delegate)
    timer = Timer(loop: core.loop, name: "session")
    out.onGrowth = { [unowned self] in self.delegate.account(for: self) }
    out.onFault = { [weak self] in self?.disconnect(because: $0) }
    // These hold the session until the stream is closed, which drops them.
    stream.onRead = { self.received($0) }
    stream.onEnd = { self.ended() }
    // A write may tell this in the middle of something else.
    stream.onError = { _ in core.loop.later { self.close() } }
    stream.onDrain = { self.drained() }
  }

  /// The bytes that are kept for it.
  var heldBytes: Int { out.heldBytes + decoder.bufferedBytes }

  /// Whether it can be sent to.
  var isReachable: Bool {
    switch state {
    case .silent, .open: true
    case .leaving, .closed: false
    }
  }

  /// Reads from now on; hello has to come in time.
  func start() {
    timer.start(after: limits.helloTimeout) { self.close() }
    stream.resumeReading()
  }

  /// It has said hello.
  func greeted(as name: String) {
    state = .open
    out.name = name
    decoder.limit = limits.frameBytes
    timer.stop()
  }

  // MARK: Frames in

  private func received(_ bytes: UnsafeRawBufferPointer) {
    guard isReachable else { return }
    decoder.append(bytes)
    takeFrames()
    delegate.account(for: self)
  }

  /// Takes what frames there are, as many as its share of the turn allows and as long as the client reads its answers.
  private func takeFrames(atLeast least: Int = 0) {
    var isNew = false
    let share = max(least, line.share)
    let before = line.spent
    if least == 0, line.isHeavy(id), decoder.bufferedBytes > 0 { return waitForTurn() }
    do throws(FrameFault) {
      while isReachable, !isPaused, decoder.bufferedBytes > 0 {
        guard line.spent - before < share else { return waitForTurn() }
        guard let payload = try decoder.next() else { break }
        isNew = true
        let (spent, start) = (line.spent, loop.now)
        delegate.take(Envelope(payload: payload), from: self)
        // What was spent on its answer is counted already.
        let cost = FairTurns.cost(ofBytes: payload.count, taking: loop.now - start)
        line.spend(max(0, cost - (line.spent - spent)))
        line.charge(line.spent - spent, to: id)
        // Who is leaving is read to the end: that tells that it has gone.
        if isReachable, out.isOwed { pause() }
      }
    } catch {
      return farewell(WireError(error))
    }
    watchFrame(isNew: isNew)
  }

  /// A frame that has begun has so long to be complete (protocol §1).
  private func watchFrame(isNew: Bool) {
    guard state == .open, !isPaused else { return }
    guard decoder.isMidFrame else {
      frameDeadline = nil
      return timer.stop()
    }
    let deadline = (isNew ? nil : frameDeadline) ?? loop.now + limits.frameTimeout
    guard frameDeadline != deadline || !timer.isActive else { return }
    frameDeadline = deadline
    timer.start(at: deadline) {
      let allowed = self.limits.frameTimeout.inSeconds
      self.farewell(WireError(.parseError, "the frame wasn't complete \(allowed) s after its first byte"))
    }
  }

  private func waitForTurn() {
    pause()
    line.wait(id)
  }

  private func pause() {
    guard !isPaused else { return }
    isPaused = true
    pausedSince = loop.now
    stream.pauseReading()
    if state == .open { timer.stop() }
  }

  /// It has its turn, or room for answers: makes those that it is due, and reads on.
  ///
  /// - Parameter least: what it may spend at least.
  func resume(atLeast least: Int = 0) {
    guard isReachable, out.makeReplies(share: max(least, line.share)) else { return }
    farewellIfEnded()
    guard isReachable, isPaused, !out.isFull else { return }
    isPaused = false
    // The frame's clock stands still while nothing is read.
    frameDeadline = frameDeadline.map { $0 + (loop.now - pausedSince) }
    takeFrames(atLeast: least)
    if isReachable, !isPaused { stream.resumeReading() }
  }

  /// Everything queued is with the kernel: a slow subscriber catches up (protocol §5), a paused client is read again.
  private func drained() {
    delegate.account(for: self)
    guard isReachable else { return }
    if out.isBehind {
      // Each gets the whole Status: one after the other.
      line.wait(id)
    } else if !line.isWaiting(id) {
      resume()
    }
  }

  // MARK: The end

  /// Tells a client its last word, and closes once it has gone or its time is up.
  ///
  /// - Parameters:
  ///   - error: why, if the client did something wrong.
  ///   - id: the request that the error answers.
  func farewell(_ error: WireError? = nil, id: RequestID? = nil) {
    guard isReachable else { return }
    out.makeAllReplies()
    if let error { out.refuse(id, error) }
    state = .leaving
    // Once the kernel has the last word, which the client can still read, there is nothing to stay for where the client has ended
    // already, or the supervisor.
    stream.finishWriting { if self.hasEnded || self.delegate.isEnded { self.loop.later { self.close() } } }
    stream.resumeReading()
    timer.start(after: limits.farewell) { self.close() }
    leave()
  }

  /// The client sends no more: what it asked for has been answered, and it is gone once it has been sent that.
  private func ended() {
    hasEnded = true
    guard isReachable else { return close() }
    farewellIfEnded()
  }

  /// A client that sends no more still reads: it is sent what it is due, as it has room for it, and then its end.
  private func farewellIfEnded() {
    guard hasEnded, isReachable, out.replyCount == 0 else { return }
    guard !delegate.isSettling else { return loop.nextTurn { [weak self] in self?.farewellIfEnded() } }
    farewell()
  }

  /// Closes the connection in the next turn, for a reason that the log tells.
  private func disconnect(because reason: String) {
    loop.later {
      guard self.state != .closed else { return }
      self.logger.warning("disconnected \(self.name): \(reason)")
      self.close()
    }
  }

  /// Closes the connection; with it goes what was the client's.
  func close() {
    guard state != .closed else { return }
    let wasReachable = isReachable
    state = .closed
    timer.close()
    stream.close()
    if wasReachable { leave() }
    delegate.closed(self)
  }

  private func leave() {
    out.close()
    delegate.left(self)
  }
}
