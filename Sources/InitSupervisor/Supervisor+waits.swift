internal import InitCore
internal import InitWire
internal import Libuv

/// Waits: answered as soon as what they wait for isn't pending (protocol §4, S1, S10).
extension Supervisor {
  func takeWait(_ params: WaitParams, id: RequestID, _ session: Session) throws(WireError) {
    guard !read({ $0.isEnding }) else { throw WireError(Refusal.shuttingDown) }
    let target = Wait.Target(params.target)
    switch params.target {
    case .ready, .launch, .active, .composite:
      if let state = target.state(in: read { $0.states }) { return answer(session, id, result: state) }
    case .initializer(let name):
      if let outcome = read({ $0.outcome(of: name) }) { return answer(session, id, result: StateShape(outcome)) }
      if !params.appear, read({ $0.initializer(named: name) }) == nil { throw unknown(name) }
    case .pass(let number):
      switch read({ $0.pass(numbered: number) }) {
      case .underWay: break
      case .unknown:
        throw .invalidParams("params.pass", "no pass has the number \(number), or it is longer ago than the last 32")
      case .ended(let outcome):
        if let state = StateShape(outcome, pass: number) { return answer(session, id, result: state) }
      }
    }
    try addWait(
      id: id, session, target: target, timeout: params.timeout.map { .seconds($0) }, mayAppear: params.appear)
  }

  /// Keeps a request open.
  func addWait(
    id: RequestID, _ session: Session, target: Wait.Target, timeout: Duration?, mayAppear: Bool = false
  ) throws(WireError) {
    guard session.waits.count < limits.waits else {
      throw WireError(
        .limitExceeded, "cannot keep more than \(limits.waits) waits open on one connection", detail: .limit("waits"))
    }
    let timer = timeout.map { _ in Timer(loop: loop, name: "wait") }
    let number = waits.add(
      Wait(id: id, session: session.id, target: target, mayAppear: mayAppear, timer: timer))
    session.waits.insert(number)
    guard let timeout else { return }
    timer?.start(after: timeout) { self.timeOutWait(number) }
  }

  private func timeOutWait(_ number: Int) {
    let error = WireError(.timeout, "what was waited for didn't come in time", detail: .status(status))
    finish(number) { answer($0, $1, error) }
  }

  private func finish(_ number: Int, _ reply: (Session, RequestID) -> Void) {
    guard let wait = waits.remove(number) else { return }
    wait.timer?.close()
    guard let session = sessions[wait.session] else { return }
    session.waits.remove(number)
    reply(session, wait.id)
  }

  func answerWaits(for kind: WaitList.Kind, with state: StateShape) {
    for (number, _) in waits.waiting(for: kind) { finish(number) { answer($0, $1, result: state) } }
  }

  func answerStateWaits(_ record: StateRecord) {
    for (number, wait) in waits.waiting(for: .states) {
      if let state = wait.target.state(in: record) { finish(number) { answer($0, $1, result: state) } }
    }
  }

  func answerInitializerWaits(_ snapshot: InitializerSnapshot) {
    let state: StateShape
    switch snapshot.status {
    case .complete: state = StateShape(StateShape.Name.complete)
    case .cancelled: state = StateShape(StateShape.Name.cancelled)
    case .failed, .notRun:
      guard let failure = snapshot.failure else { return }
      state = StateShape(StateShape.Name.failed, error: ErrorShape(failure))
    case .idle, .waiting, .running, .stopping: return
    }
    answerWaits(for: .initializer(snapshot.declaration.name), with: state)
  }

  /// Whoever waited for what a deactivation cancelled to have stopped.
  func answerQuietWaits() {
    let quiet = waits.waiting(for: .quiet)
    guard !quiet.isEmpty, !read({ $0.isActiveStopping }) else { return }
    for (number, wait) in quiet {
      guard case .quiet(let names) = wait.target else { continue }
      finish(number) { answer($0, $1, result: DeactivateResult(cancelled: names)) }
    }
  }

  /// A name was taken away: nobody will complete it, unless it may yet appear.
  func refuseWaits(for name: String) {
    for (number, wait) in waits.waiting(for: .initializer(name)) where !wait.mayAppear {
      finish(number) { answer($0, $1, unknown(name)) }
    }
  }

  /// Answers every open wait with an error. Who waits for what a deactivation cancelled waits on: that will have stopped.
  func refuseWaits(_ error: WireError) {
    for (number, wait) in waits.all {
      if case .quiet = wait.target { continue }
      finish(number) { answer($0, $1, error) }
    }
  }
}

extension Wait.Target {
  init(_ target: WaitParams.Target) {
    switch target {
    case .ready: self = .states(.ready)
    case .launch: self = .states(.launch)
    case .active: self = .states(.active)
    case .composite: self = .states(.composite)
    case .initializer(let name): self = .initializer(name)
    case .pass(let number): self = .pass(number)
    }
  }

  /// The answer, if it waits for states and they are no longer pending.
  func state(in record: StateRecord) -> StateShape? {
    guard case .states(let which) = self else { return nil }
    let state: StateShape =
      switch which {
      case .launch: StateShape(record.launch)
      case .active: StateShape(record.active)
      case .composite: StateShape(record.composite)
      case .ready: StateShape(record.composite == .complete && !record.isReady ? .pending : record.composite)
      }
    return state.state == .pending ? nil : state
  }
}
