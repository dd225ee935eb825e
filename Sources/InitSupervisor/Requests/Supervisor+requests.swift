internal import Glibc
internal import InitCore
internal import InitTimeline
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// Each request of protocol §4: what it asks of the machine, and its answer.
extension Supervisor {
  func take(_ request: Request, id: RequestID, _ session: Session) throws(WireError) {
    planIfDue(before: request)
    switch request {
    case .hello(let params): takeHello(params, id: id, session)
    case .ping(let params):
      guard let frame = try? Message.answer(id: id, result: params) else { return }
      send(frame, to: session)
    case .status: reply(.status, id, session)
    case .launch:
      startGivenUp()
      try control(.launched)
      let launch = read { $0.states.launch }
      answer(session, id, result: LaunchResult(pass: launch.pass ?? 0, launch: StateShape(launch)))
    case .activate(let params):
      startGivenUp()
      try control(.activated(hold: params.hold ? session.id : nil))
      let states = read { $0.states }
      let result = ActivateResult(
        pass: states.active.pass ?? 0, active: StateShape(states.active), launch: StateShape(states.launch))
      answer(session, id, result: result)
    case .release:
      try control(.holdReleased(session.id))
      answer(session, id, result: EmptyResult())
    case .deactivate(let params): try takeDeactivate(params, id: id, session)
    case .subscribe(let params):
      reply(.subscription(Set(params.topics)), id, session)
    case .unsubscribe:
      session.subscription = Subscription()
      answer(session, id, result: EmptyResult())
    case .wait(let params): try takeWait(params, id: id, session)
    case .register(let params): try takeRegister(params, id: id, session)
    case .unregister(let params): try takeUnregister(params, id: id, session)
    case .logs(let params):
      if let name = params.initializer, read({ $0.initializer(named: name) }) == nil,
        !configuration.workers.contains(where: { $0.name == name })
      {
        throw unknown(name)
      }
      reply(.logs(params), id, session)
    case .history(let params):
      reply(.history(params), id, session)
    case .shutdown:
      answer(session, id, result: EmptyResult())
      shutDown(because: "\(session.name) asked for it")
    }
  }

  /// The version has been looked at, and that it is the first.
  private func takeHello(_ params: HelloParams, id: RequestID, _ session: Session) {
    session.state = .open
    session.name = params.client.name.cut(to: 128)
    session.decoder.limit = limits.frameBytes
    session.timer.stop()
    silent.removeAll { $0 == session.id }
    let result = HelloResult(
      protocolVersion: HelloParams.version, server: ProgramShape(name: "initd", version: configuration.version),
      instance: instance, pid: Int(getpid()), limits: .init(frameBytes: limits.frameBytes))
    answer(session, id, result: result)
  }

  private func takeDeactivate(_ params: DeactivateParams, id: RequestID, _ session: Session) throws(WireError) {
    let names = read { $0.cancellable }
    try control(.deactivated)
    let result = DeactivateResult(cancelled: names)
    guard params.wait, read({ $0.isActiveStopping }) else { return answer(session, id, result: result) }
    try add(Wait(id: id, session: session.id, target: .quiet, cancelled: names), session)
  }

  /// An event that a client sends; a refusal is its answer.
  func control(_ event: Event) throws(WireError) {
    do throws(Refusal) {
      try apply(event)
    } catch {
      throw WireError(error)
    }
  }

  func unknown(_ name: String) -> WireError {
    WireError(.unknownInitializer, "\(Refusal.unknownInitializer(name))")
  }

  /// A picture shows what has registered before as the pass has planned it.
  private func planIfDue(before request: Request) {
    switch request {
    case .status, .subscribe: break
    case .hello, .ping, .launch, .activate, .release, .deactivate, .unsubscribe, .wait, .register, .unregister, .logs,
      .history, .shutdown:
      return
    }
    if read({ $0.isPlanningDue }) { try? apply(.timePassed) }
  }

  /// Root, and the user that the supervisor runs as.
  func isOwn(_ peer: PeerCredentials) -> Bool { peer.uid == 0 || peer.uid == ownUser }

  /// The user the supervisor runs as.
  var ownUser: UInt32 { geteuid() }
}

extension WireError {
  /// What a client is told when the machine doesn't take its event.
  init(_ refusal: Refusal) {
    let code: ErrorCode =
      switch refusal {
      case .shuttingDown: .shuttingDown
      case .nameTaken, .nameResident, .declaredOtherwise: .nameConflict
      case .unknownInitializer: .unknownInitializer
      }
    self.init(code, refusal.description)
  }
}
