internal import DequeModule
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// Connections: accepting, hello, frames in, answers out, the end (protocol §1, §2, §8).
extension Supervisor {
  /// After how many waits whose clients have left their memory is given back.
  private static let manyWaits = 10_000
  /// How many connections root and the supervisor's own user may have beyond the limit.
  private static let reservedConnections = 16

  func accept(_ descriptor: Descriptor, _ peer: PeerCredentials, isReadOnly: Bool) {
    guard let stream = try? Stream(loop: loop, descriptor: descriptor, name: "session") else { return }
    lastSession += 1
    let roles = isReadOnly ? .observe : configuration.permissions.roles(of: peer, owner: ownUser)
    let session = Session(
      id: lastSession, stream: stream, peer: peer, roles: roles, isReadOnly: isReadOnly, loop: loop)
    sessions[session.id] = session
    listen(to: session)
    guard !roles.isEmpty else {
      let error = WireError(
        .notPermitted,
        "permission denied: user \(peer.uid) has no role here; start initd with --allow-observe, --allow-control or --allow-register"
      )
      return refuse(session, error)
    }
    // Each socket has its places, and root and the own user a few more: nobody can lock them out.
    let reserved = !isReadOnly && isOwn(peer) ? Self.reservedConnections : 0
    guard connections[isReadOnly, default: 0] < places + reserved else {
      let error = WireError(
        .limitExceeded, "cannot take more than \(places) connections: close one, or try again later",
        detail: .limit("connections"))
      return refuse(session, error)
    }
    connections[isReadOnly, default: 0] += 1
    session.isCounted = true
    silent.append(session.id)
    let silentHere = silent.filter { sessions[$0]?.isReadOnly == isReadOnly }
    if silentHere.count > limits.silentConnections { close(silentHere[0]) }
    session.timer.start(after: limits.helloTimeout) { self.close(session) }
    stream.resumeReading()
  }

  /// How many connections each socket takes: no more than leave descriptors for what runs, so that work goes on when clients have taken all they may.
  func placesForClients() -> Int {
    // A run has its pidfd, both ends of two pipes, and a socket for its reports; a further one is made ready.
    let forRuns = 8 * (min(configuration.machine.concurrency, 64) + 2) + 6 * (configuration.workers.count + 1)
    let room = DescriptorLimit.room - forRuns - limits.silentConnections - 2 * Self.reservedConnections
    let places = max(1, room / (configuration.observeSocketPath == nil ? 1 : 2))
    guard places < limits.connections else { return limits.connections }
    logger.warning(
      """
      only \(places) connections fit, not \(limits.connections): this process may have too few descriptors; raise its hard limit (ulimit -Hn, or \
      LimitNOFILE= in its unit)
      """)
    return places
  }

  /// Tells one who isn't let in why. A few of these are kept for as long as it takes them to read it; who comes after them puts out the first.
  private func refuse(_ session: Session, _ error: WireError) {
    farewell(session, error)
    refused.removeAll { sessions[$0] == nil }
    refused.append(session.id)
    if refused.count > limits.silentConnections { close(refused.removeFirst()) }
  }

  private func listen(to session: Session) {
    let stream = session.stream
    // These hold the supervisor until the stream is closed, which drops them.
    stream.onRead = { self.received($0, session) }
    stream.onEnd = { self.ended(session) }
    stream.onError = { [id = session.id] _ in
      // A write may tell this in the middle of something else.
      self.later { $0.close(id) }
    }
    stream.onDrain = { self.drained(session) }
  }

  private func received(_ bytes: UnsafeRawBufferPointer, _ session: Session) {
    guard session.isReachable else { return }
    session.decoder.append(bytes)
    takeFrames(session)
    account(for: session)
  }

  /// Takes what frames there are, as many as its share of the turn allows and as long as the client reads its answers.
  func takeFrames(_ session: Session, atLeast least: Int = 0) {
    var taken = 0
    let share = max(least, turns.share(in: loop.turn))
    let before = turns.spent
    if least == 0, session.debt.isHeavy(in: loop.turn), session.decoder.bufferedBytes > 0 {
      pause(session)
      return awaitTurn(session)
    }
    do throws(FrameFault) {
      while session.isReachable, !session.isPaused, session.decoder.bufferedBytes > 0 {
        guard turns.spent - before < share else {
          pause(session)
          return awaitTurn(session)
        }
        guard let payload = try session.decoder.next() else { break }
        taken += 1
        let (spent, start) = (turns.spent, loop.now)
        take(Envelope(payload: payload), session)
        // What was spent on its answer is counted already.
        let cost = FairTurns.cost(ofBytes: payload.count, taking: loop.now - start)
        turns.spend(max(0, cost - (turns.spent - spent)))
        session.debt.add(turns.spent - spent, in: loop.turn)
        // Who is leaving is read to the end: that tells that it has gone.
        let isOwed = !session.replies.isEmpty || session.stream.queuedBytes > limits.answerBytes
        if session.isReachable, isOwed { pause(session) }
      }
    } catch {
      return farewell(session, WireError(error))
    }
    watchFrame(session, isNew: taken > 0)
  }

  func awaitTurn(_ session: Session) {
    turns.wait(session.id, isHeavy: session.debt.isHeavy(in: loop.turn))
    askForTurn()
  }

  private func askForTurn() {
    if turns.ask() { loop.performNextTurn { [weak self] in self?.assumeIsolated { $0.shareTurn() } } }
  }

  /// Those who wait have their shares of this turn, in line; who has more to say after that waits for the next.
  private func shareTurn() {
    turns.come()
    for _ in 0..<turns.count where turns.share(in: loop.turn) > 0 {
      if let id = turns.next() { resume(id) }
    }
    // One of those who take long has its turn in any case: who is asked for little mustn't keep it waiting for ever.
    if let id = turns.nextHeavy() { resume(id, atLeast: 1) }
    askForTurn()
  }

  private func pause(_ session: Session) {
    guard !session.isPaused else { return }
    session.isPaused = true
    session.pausedSince = loop.now
    session.stream.pauseReading()
    if session.state == .open { session.timer.stop() }
  }

  func resume(_ id: Int, atLeast least: Int = 0) {
    guard let session = sessions[id], session.isReachable else { return }
    let isAnswered = makeReplies(session, share: max(least, turns.share(in: loop.turn)))
    guard isAnswered else { return }
    farewellIfEnded(session)
    guard session.isReachable, session.isPaused else { return }
    guard session.stream.queuedBytes <= limits.answerBytes else { return }
    session.isPaused = false
    // The frame's clock stands still while nothing is read.
    session.frameDeadline = session.frameDeadline.map { $0 + (loop.now - session.pausedSince) }
    takeFrames(session, atLeast: least)
    if session.isReachable, !session.isPaused { session.stream.resumeReading() }
  }

  /// A frame that has begun has so long to be complete (protocol §1).
  private func watchFrame(_ session: Session, isNew: Bool) {
    guard session.state == .open, !session.isPaused else { return }
    guard session.decoder.isMidFrame else {
      session.frameDeadline = nil
      return session.timer.stop()
    }
    let deadline = (isNew ? nil : session.frameDeadline) ?? loop.now + limits.frameTimeout
    guard session.frameDeadline != deadline || !session.timer.isActive else { return }
    session.frameDeadline = deadline
    session.timer.start(at: deadline) {
      let allowed = self.limits.frameTimeout.inSeconds
      self.farewell(session, WireError(.parseError, "the frame wasn't complete \(allowed) s after its first byte"))
    }
  }

  private func notPermitted(_ method: String, _ session: Session) -> WireError {
    let role = session.roles.contains(.control) ? "control" : session.roles.contains(.register) ? "register" : "observe"
    let remedy =
      session.isReadOnly ? "use the supervisor's main socket" : "ask its administrator for another --allow-… option"
    return WireError(
      .notPermitted, "permission denied: `\(method)` is not allowed for the role \(role), which you have; \(remedy)")
  }

  private func take(_ envelope: Envelope, _ session: Session) {
    switch envelope {
    case .request(let id, let method, let params):
      guard session.state == .open || method == Request.Method.hello.rawValue else {
        return farewell(session, WireError(.invalidRequest, "cannot take \(method): say hello first"), id: id)
      }
      do throws(WireError) {
        guard session.state == .silent || method != Request.Method.hello.rawValue else {
          throw WireError(.invalidRequest, "cannot take hello: it has been said")
        }
        let request = try Request.decode(method: method, params: params)
        guard session.roles.allow(request.method) else { throw notPermitted(method, session) }
        try take(request, id: id, session)
      } catch {
        guard error.knownCode == .unsupportedProtocol else { return answer(session, id, error) }
        farewell(session, error, id: id)
      }
    case .notification(let method, let params):
      guard session.state == .open else {
        return farewell(session, WireError(.invalidRequest, "cannot take \(method): say hello first"))
      }
      if let notification = try? Notification.decode(method: method, params: params) {
        take(notification, session)
      } else if method == "progress" {
        logger.debug("\(session.name) sent a progress report that can't be read; it is ignored")
      }
    case .response(let id, let outcome):
      guard session.state == .open else {
        return farewell(session, WireError(.invalidRequest, "cannot take an answer: say hello first"))
      }
      takeAnswer(id, outcome, session)
    case .invalid(let id, let error):
      if session.state == .silent, error.knownCode == .invalidRequest { return farewell(session, error, id: id) }
      answer(session, id, error)
    }
  }

  /// Tells a client its last word, and closes once it has gone or its time is up.
  func farewell(_ session: Session, _ error: WireError? = nil, id: RequestID? = nil) {
    guard session.isReachable else { return }
    makeAllReplies(session)
    if let error { answer(session, id, error) }
    session.state = .leaving
    silent.removeAll { $0 == session.id }
    // Once the kernel has the last word, which the client can still read, there is nothing to stay for where the client has ended
    // already, or the supervisor.
    session.stream.finishWriting {
      if session.hasEnded || self.isEnded { self.later { [id = session.id] in $0.close(id) } }
    }
    session.stream.resumeReading()
    session.timer.start(after: limits.farewell) { self.close(session) }
    leave(session)
  }

  /// The client sends no more: what it asked for has been answered, and it is gone once it has been sent that.
  private func ended(_ session: Session) {
    session.hasEnded = true
    guard session.isReachable else { return close(session) }
    farewellIfEnded(session)
  }

  /// A client that sends no more still reads: it is sent what it is due, as it has room for it, and then its end.
  private func farewellIfEnded(_ session: Session) {
    guard session.hasEnded, session.isReachable, session.replies.isEmpty else { return }
    guard settled.isEmpty else {
      return loop.performNextTurn { [weak self, id = session.id] in
        self?.assumeIsolated { supervisor in
          if let session = supervisor.sessions[id] { supervisor.farewellIfEnded(session) }
        }
      }
    }
    farewell(session)
  }

  func close(_ id: Int) {
    if let session = sessions[id] { close(session) }
  }

  /// Closes a connection in the next turn, for a reason that the log tells.
  func close(_ id: Int, because reason: String) {
    later { supervisor in
      guard let session = supervisor.sessions[id] else { return }
      supervisor.logger.warning("disconnected \(session.name): \(reason)")
      supervisor.close(session)
    }
  }

  /// Closes a connection and takes note of what goes with it.
  func close(_ session: Session) {
    guard sessions.removeValue(forKey: session.id) != nil else { return }
    if session.isCounted { connections[session.isReadOnly, default: 1] -= 1 }
    let wasReachable = session.isReachable
    session.state = .closed
    session.timer.close()
    session.stream.close()
    clientBytes -= session.countedBytes
    silent.removeAll { $0 == session.id }
    if wasReachable { leave(session) }
    finishIfAlone()
  }

  /// With a client go its waits, its hold, and what it provided (S21, S23).
  private func leave(_ session: Session) {
    for number in session.waits { _ = waits.remove(number) }
    waitsLeft += session.waits.count
    session.waits = []
    session.replies = []
    if waitsLeft > Self.manyWaits {
      waitsLeft = 0
      later { _ in Heap.giveBack() }
    }
    loseWorker(session)
    try? apply(.holdReleased(session.id))
  }

  /// Everything queued is with the kernel: a slow subscriber catches up (protocol §5), a paused client is read again.
  private func drained(_ session: Session) {
    account(for: session)
    guard session.isReachable else { return }
    if session.subscription.isBehind {
      // Each gets the whole Status: one after the other.
      awaitTurn(session)
    } else if !turns.isWaiting(session.id) {
      resume(session.id)
    }
  }
}
