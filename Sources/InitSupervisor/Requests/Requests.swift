internal import Glibc
internal import InitCore
internal import InitModel
internal import InitText
internal import InitWire
internal import Logging
internal import Platform

/// Handles the messages of protocol §2 and §4: passes each message to its component or to the machine, and answers it.
final class Requests: Component {
  /// Called with the reason when a client has requested a shutdown.
  var onShutdown: (String) -> Void = { _ in }
  /// Called with the params, the user and the reason when a client has requested a reload.
  var onReload: (ReloadParams, UInt32, String, @escaping Reloads.Answer) -> Void = { _, _, _, _ in }

  let shared: Shared
  private let broadcast: Broadcast
  private let waits: Waits
  private let holds: LeasedHolds
  private let execution: Execution
  private let records: Records

  init(
    _ shared: Shared, broadcast: Broadcast, waits: Waits, holds: LeasedHolds, execution: Execution,
    records: Records
  ) {
    self.shared = shared
    self.broadcast = broadcast
    self.waits = waits
    self.holds = holds
    self.execution = execution
    self.records = records
  }

  private var launches: LaunchJournal { records.launches }
  private var workers: Workers { execution.workers }
  private var coordination: Coordination { execution.coordination }
  private var processes: Processes { execution.processes }

  /// Removes the subscription, waits, registrations and hold of a client that has been sent its last message, or has disconnected (S21,
  /// S23).
  func forget(_ session: Session) {
    broadcast.unsubscribe(session.out)
    waits.forget(session.id)
    workers.lose(session.worker)
    coordination.lose(session.id)
    holds.endManagement(of: session)
    holds.release(session.hold)
  }

  /// Handles a client's message.
  func handle(_ envelope: Envelope, from session: Session) {
    switch envelope {
    case .request(let id, let method, let params):
      guard session.state == .open || method == Request.Method.hello.rawValue else {
        return session.farewell(WireError(.invalidRequest, "cannot handle \(method): send hello first"), id: id)
      }
      do throws(WireError) {
        guard session.state == .silent || method != Request.Method.hello.rawValue else {
          throw WireError(.invalidRequest, "cannot handle hello: this connection has already sent it")
        }
        let request = try Request.decode(method: method, params: params)
        guard session.roles.allow(request.method) else {
          throw session.roles.refusal(of: request.method, isReadOnly: session.isReadOnly)
        }
        try handle(request, id: id, session)
      } catch {
        guard error.knownCode == .unsupportedProtocol else { return session.out.refuse(id, error) }
        session.farewell(error, id: id)
      }
    case .notification(let method, let params):
      guard session.state == .open else {
        return session.farewell(WireError(.invalidRequest, "cannot handle \(method): send hello first"))
      }
      if let notification = try? Notification.decode(method: method, params: params) {
        handle(notification, from: session)
      } else if method == Notification.Method.progress.rawValue {
        logger.debug("\(session.name) sent an invalid progress report; it is ignored")
      }
    case .response(let id, let outcome):
      guard session.state == .open else {
        return session.farewell(WireError(.invalidRequest, "cannot handle an answer: send hello first"))
      }
      receiveAnswer(id, outcome, session)
    case .invalid(let id, let error):
      if session.state == .silent, error.knownCode == .invalidRequest { return session.farewell(error, id: id) }
      session.out.refuse(id, error)
      // The message may have been meant as the answer to a run, which would stay open indefinitely.
      if let id, workers.isOpen(id, session) || coordination.isOpen(id, session) {
        receiveAnswer(id, .error(error), session)
      }
    }
  }

  private func receiveAnswer(_ id: RequestID?, _ outcome: Envelope.Outcome, _ session: Session) {
    if !coordination.receiveAnswer(id, outcome, session) { workers.receiveAnswer(id, outcome, session) }
  }

  private func handle(_ notification: InitWire.Notification, from session: Session) {
    switch notification {
    case .progress(let params):
      if !coordination.receiveProgress(params, session) { workers.receiveProgress(params, session) }
    case .renew(let params):
      if params.run == nil { holds.renew(params, session) } else { coordination.receiveRenewal(params, session) }
    case .revoke(let params): coordination.receiveRevocation(params, session)
    case .cancel, .event, .unclaim: break
    }
  }

  private func handle(_ request: Request, id: RequestID, _ session: Session) throws(WireError) {
    let out = session.out
    switch request {
    case .hello(let params): handleHello(params, id: id, session)
    case .ping(let params):
      guard let frame = try? Message.answer(id: id, result: params) else { return }
      out.send(frame)
    case .status:
      planIfDue()
      out.reply(.status, to: id)
    case .launch:
      try shared.control(.launched)
      // Only now it is known what launch decides first (S30).
      processes.startNow()
      let launch = shared.read { $0.states.launch }
      out.answer(id, LaunchResult(pass: launch.pass?.rawValue ?? 0, launch: Status.State(launch)))
    case .activate(let params):
      try holds.check(params, session)
      let (before, fence) = (shared.read { $0.states.lifecycle }, shared.fence)
      try holds.activate(params, session)
      processes.startNow()
      let states = shared.read { $0.states }
      if states.lifecycle == before, shared.fence != fence {
        broadcast.publish(
          .state(Status.Event.StateChange(states, changed: [.lifecycle], fence: shared.fence)),
          topics: CollectionOfOne(.lifecycle))
      }
      out.answer(
        id,
        ActivateResult(
          pass: states.active.pass?.rawValue ?? 0, active: Status.State(states.active),
          launch: Status.State(states.launch),
          cancelGrace: params.lease == nil ? nil : configuration.machine.cancelGrace.inSeconds,
          manager: params.force ? holds.absentManager(of: session) : nil))
    case .release:
      holds.release(session.hold)
      out.answer(id, EmptyResult())
    case .deactivate(let params): try handleDeactivate(params, id: id, out)
    case .subscribe(let params):
      planIfDue()
      out.reply(.subscription(Set(params.topics)), to: id)
    case .unsubscribe:
      broadcast.unsubscribe(out)
      out.answer(id, EmptyResult())
    case .wait(let params):
      try waits.handle(params, id: id, of: out)
      if waits.isWaiting(out.id) { processes.beginWait(session) }
    case .register(let params): out.answer(id, try workers.register(params, session))
    case .unregister(let params):
      launches.forget(try workers.unregister(params, session))
      out.answer(id, EmptyResult())
    case .logs(var params):
      if let name = params.initializer, !shared.isKnown(name),
        !configuration.workers.contains(where: { $0.name == name }), !records.log.keepsFailure(of: name)
      {
        throw .unknown(name)
      }
      // The lines of a process's output have the name of the process, not of the initializer.
      if let name = params.initializer, let process = shared.read({ $0.initializer(named: name)?.declaration.process })
      {
        params.initializer = process
      }
      out.reply(.logs(params), to: id)
    case .history(let params): out.reply(.history(params), to: id)
    case .rerun(let params):
      let names = params.initializers
      let withDependents = params.withDependents
      try shared.control(.rerunRequested(names, withDependents: withDependents))
      logger.info("\(session.name) reruns \(Warnings.shown(names))\(withDependents ? " and what depends on it" : "")")
      let passes = shared.read { $0.passes(rerunning: names, withDependents: withDependents) }
      out.answer(id, RerunResult(passes: passes.map(\.rawValue)))
    case .cancelRun(let params): try handleCancel(params, id: id, session)
    case .reload(let params):
      onReload(params, session.peer.uid, "requested by \(session.name)") { outcome in
        switch outcome {
        case .success(let result): out.answer(id, result)
        case .failure(let error): out.refuse(id, error)
        }
      }
    case .shutdown:
      out.answer(id, ShutdownResult(exits: configuration.isWholeProcess))
      onShutdown("requested by \(session.name)")
    case .coordinate: out.answer(id, try coordination.register(session))
    case .manage:
      try holds.manage(session)
      out.answer(id, ManageResult(cancelGrace: configuration.machine.cancelGrace.inSeconds))
    }
  }

  /// Handles hello.
  ///
  /// The caller has checked the version, and that this is the first message.
  private func handleHello(_ params: HelloParams, id: RequestID, _ session: Session) {
    session.greeted(as: params.client.name.cut(to: 128))
    session.out.answer(
      id,
      HelloResult(
        protocolVersion: HelloParams.version,
        server: HelloParams.Program(name: "initd", version: configuration.version),
        instance: shared.instance, pid: Int(getpid()), limits: .init(frameBytes: configuration.limits.frameBytes)))
  }

  private func handleDeactivate(_ params: DeactivateParams, id: RequestID, _ out: Outgoing) throws(WireError) {
    let names = shared.read { $0.cancellable }
    try shared.control(.deactivated)
    guard params.wait, shared.read({ $0.isActiveStopping }) else {
      return out.answer(id, DeactivateResult(cancelled: names))
    }
    try waits.add(Wait(id: id, session: out.id, target: .quiet, cancelled: names), of: out)
  }

  /// Cancels runs, and answers once they have stopped (S34).
  private func handleCancel(_ params: CancelRunParams, id: RequestID, _ session: Session) throws(WireError) {
    let names = params.initializers
    let user = Accounts.name(ofUser: session.peer.uid)
    try shared.control(.runsCancelled(names, by: user))
    logger.info("\(user) cancels \(Warnings.shown(names))")
    let runs = shared.read { $0.cancelledRuns(of: names) }
    guard !runs.isEmpty else { return session.out.answer(id, DeactivateResult(cancelled: names)) }
    try waits.add(
      Wait(id: id, session: session.out.id, target: .stopped, cancelled: names, runs: runs), of: session.out)
  }

  /// Plans the pending registrations, because the snapshot must show them as the machine has planned them.
  private func planIfDue() {
    if shared.read({ $0.isPlanningDue }) { try? shared.apply(.timePassed) }
  }
}
