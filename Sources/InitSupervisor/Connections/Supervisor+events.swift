internal import InitCore
internal import InitTimeline
internal import InitWire
internal import Libuv
internal import Logging

/// Events: each is numbered once, encoded at most once, and sent to whoever subscribed (protocol §5).
extension Supervisor {
  /// The machine tells what has happened, in the step in which it did.
  func note(_ notice: Notice, at now: Instant) {
    history.note(notice, at: now)
    log(notice)
    switch notice {
    case .state(let record, let changed):
      let event = StateEvent(record, changed: changed)
      publish(.state(event), topics: event.changed.compactMap(\.known))
      answerStateWaits(record)
      considerApp(record)
      tellServiceManager(record)
    case .initializer(let snapshot):
      publish(.initializer(InitializerShape(snapshot, clock: clock)), topics: [.initializer])
      answerInitializerWaits(snapshot)
    case .initializerRemoved(let snapshot):
      let name = snapshot.declaration.name
      publish(.initializerRemoved(InitializerShape(snapshot, clock: clock)), topics: [.initializer])
      refuseWaits(for: name)
    case .passAbandoned(let number):
      answerPassWaits(number, with: StateShape(StateShape.Name.cancelled, pass: number))
    case .pass(let number, let phase, let status):
      publish(.pass(PassEvent(number, phase, status)), topics: [.pass])
      if let state = StateShape(status, pass: number) { answerPassWaits(number, with: state) }
    case .runEnded(let run):
      remember(run)
      answerQuietWaits()
    }
  }

  /// Numbers an event and sends it to those of its topics.
  func publish(_ body: @autoclosure () -> EventBody, topics: [Topic]) {
    seq += 1
    var frame: [UInt8]?
    // Where all clients together hold much, a subscriber falls behind sooner. Nobody is disconnected for events.
    let limit = clientBytes > limits.clientBytes / 4 * 3 ? 0 : limits.eventBytes
    for session in sessions.values where !session.subscription.topics.isEmpty && session.state == .open {
      guard topics.contains(where: session.subscription.topics.contains) else { continue }
      if frame == nil {
        frame = try? Message.notification(.event(EventParams(seq: seq, time: time, body: body())))
      }
      guard let frame else { return logger.error("cannot encode event \(seq)") }
      let decision = session.subscription.decide(
        about: topics, bytes: frame.count, queued: session.stream.queuedBytes, limit: limit)
      if decision == .send { send(frame, to: session) }
    }
  }

  /// Sends one client an event that has no number of its own.
  func tell(_ session: Session, _ body: EventBody) {
    guard let frame = try? Message.notification(.event(EventParams(unnumbered: body))) else { return }
    send(frame, to: session)
  }

  /// Keeps a line that a command or a kept process wrote, and tells it.
  ///
  /// - Parameter members: what it belongs to, for the log.
  func keep(
    _ line: [UInt8], of name: String, run: Int, _ stream: OutputName, _ members: @autoclosure () -> Logger.Metadata
  ) {
    let shape = LogLineShape(
      time: time, initializer: name, run: run, stream: stream, line: String(decoding: line, as: UTF8.self))
    logs.append(shape)
    publish(.log(shape), topics: [.log])
    logOutput(shape, members())
  }
}
