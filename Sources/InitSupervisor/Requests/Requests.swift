internal import InitCore
internal import InitJSON
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitWire
internal import Logging

/// Handles the messages of protocol §2 and §4: passes each to its handler, its component, or the machine.
final class Requests: ServerDelegate {
  /// Called with the reason when a client has requested a shutdown.
  var onShutdown: (String) -> Void = { _ in }
  /// Called before a failed launch is tried again; the closure continues.
  var onRetry: (@escaping () -> Void) -> Void = { $0() }
  /// Called with the params, the user and the reason when a client has requested a reload.
  var onReload: (ReloadRequest, UInt32, String, @escaping Reloads.Answer) -> Void = { _, _, _, _ in }

  let shared: SupervisorContext
  let broadcast: Broadcast
  let waits: Waits
  let answers: AnswerEncoder
  let holds: LeasedHolds
  let execution: Execution
  let records: Records

  init(
    _ shared: SupervisorContext, broadcast: Broadcast, waits: Waits, answers: AnswerEncoder, holds: LeasedHolds,
    execution: Execution, records: Records
  ) {
    self.shared = shared
    self.broadcast = broadcast
    self.waits = waits
    self.answers = answers
    self.holds = holds
    self.execution = execution
    self.records = records
  }

  var launches: LaunchJournal { records.launches }
  var workers: Workers { execution.workers }
  var coordination: Coordination { execution.coordination }
  var processes: Processes { execution.processes }

  var isSettling: Bool { waits.isSettling }
  var endingError: WireError? { shared.isEnding ? WireError(Refusal.shuttingDown) : nil }

  func snapshot() throws(Message.Fault) -> FrameParts { try answers.snapshot() }

  /// Returns whether a run or a lease waits for messages of this client.
  func isAwaited(_ client: Int) -> Bool {
    workers.hasRuns(WorkerID(client)) || holds.hasLease(HoldID(client)) || coordination.coordinator?.id == client
  }

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
      guard session.state == .open || method == HelloRequest.method else {
        return session.farewell(WireError(.invalidRequest, "cannot handle \(method): send hello first"), id: id)
      }
      do throws(WireError) {
        guard session.state == .silent || method != HelloRequest.method else {
          throw WireError(.invalidRequest, "cannot handle hello: this connection has already sent it")
        }
        guard let handler = Self.handler(of: method) else { throw .methodNotFound(method) }
        try handler.handle(params, id, session, self)
      } catch {
        guard error.knownCode == .unsupportedProtocol else { return session.out.refuse(id, error) }
        session.farewell(error, id: id)
      }
    case .notification(let method, let params):
      guard session.state == .open else {
        return session.farewell(WireError(.invalidRequest, "cannot handle \(method): send hello first"))
      }
      handle(notification: method, params, from: session)
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

  /// Handles a notification; one that is unknown, or that can't be read, comes from a later version.
  private func handle(notification method: String, _ params: RawJSON?, from session: Session) {
    switch method {
    case ProgressNotification.method:
      guard let progress = try? ProgressNotification(params: params) else {
        return shared.logger.debug("\(session.name) sent an invalid progress report; it is ignored")
      }
      if !coordination.receiveProgress(progress, session) { workers.receiveProgress(progress, session) }
    case RenewNotification.method:
      guard let renewal = try? RenewNotification(params: params) else { return }
      if renewal.run == nil { holds.renew(renewal, session) } else { coordination.receiveRenewal(renewal, session) }
    case RevokeNotification.method:
      guard let revocation = try? RevokeNotification(params: params) else { return }
      coordination.receiveRevocation(revocation, session)
    default: break
    }
  }

  /// Plans the pending registrations, because the snapshot must show them as the machine has planned them.
  func planIfDue() {
    if shared.read({ $0.isPlanningDue }) { try? shared.apply(.timePassed) }
  }
}

extension Session {
  /// The session as a worker.
  var worker: WorkerID { WorkerID(id) }
  /// The identifier of the client's hold, if it has one.
  var hold: HoldID { HoldID(id) }
}
