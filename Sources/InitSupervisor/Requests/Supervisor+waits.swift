internal import DequeModule
internal import InitCore
internal import InitWire
internal import Libuv

/// Waits: answered as soon as what they wait for isn't pending (protocol §4, S1, S10).
///
/// What happens settles all waits for it at once. Their answers are made some at a time, so that however many wait, the loop's other work has its
/// turns.
extension Supervisor {
  /// How many waits are settled in a turn of the loop.
  private static let settledPerTurn = 256

  /// Waits that are settled, in order, and what each of them is answered.
  struct Settled {
    var numbers: ArraySlice<Int>
    let reply: Reply
  }

  func takeWait(_ params: WaitParams, id: RequestID, _ session: Session) throws(WireError) {
    guard !read({ $0.isEnding }) else { throw WireError(Refusal.shuttingDown) }
    let target = Wait.Target(params.target)
    switch params.target {
    case .ready, .launch, .active, .composite:
      if let state = target.state(in: read { $0.states }) { return reply(.state(state), id, session) }
    case .initializer(let name):
      if let outcome = read({ $0.outcome(of: name) }) { return reply(.state(StateShape(outcome)), id, session) }
      if !params.appear, read({ $0.initializer(named: name) }) == nil { throw unknown(name) }
    case .pass(let number):
      switch read({ $0.pass(numbered: number) }) {
      case .underWay: break
      case .unknown:
        throw .invalidParams("params.pass", "no pass has the number \(number), or it is longer ago than the last 32")
      case .ended(let outcome):
        if let state = StateShape(outcome, pass: number) { return reply(.state(state), id, session) }
      }
    }
    try add(
      Wait(
        id: id, session: session.id, target: target, mayAppear: params.appear,
        deadline: params.timeout.map { loop.now + .seconds($0) }), session)
  }

  /// Keeps a request open.
  func add(_ wait: Wait, _ session: Session) throws(WireError) {
    guard session.waits.count + session.replies.count < limits.waits else {
      throw WireError(
        .limitExceeded, "cannot keep more than \(limits.waits) waits open on one connection", detail: .limit("waits"))
    }
    guard waits.count < limits.allWaits else {
      throw WireError(
        .limitExceeded, "cannot keep more than \(limits.allWaits) waits open on all connections together",
        detail: .limit("allWaits"))
    }
    session.waits.insert(waits.add(wait))
    watchDeadlines()
  }

  private func watchDeadlines() {
    guard let deadline = waits.nextDeadline else { return waitTimer.stop() }
    guard !waitTimer.isActive || deadline < waitDeadline else { return }
    waitDeadline = deadline
    waitTimer.start(at: deadline) { [weak self] in self?.assumeIsolated { $0.timeOutWaits() } }
  }

  private func timeOutWaits() {
    let now = loop.now
    for _ in 0..<Self.settledPerTurn {
      guard let number = waits.expired(at: now) else { break }
      let target = waits[number].map { "\($0.target)" } ?? ""
      settle(number, .timedOut("timed out waiting for \(target)"))
    }
    // Whatever is due by now has its turn when this one is over.
    watchDeadlines()
  }

  /// Ends a wait, and has it answered.
  private func settle(_ number: Int, _ reply: Reply) {
    guard let wait = waits.remove(number), let session = sessions[wait.session] else { return }
    session.waits.remove(number)
    if case .deactivated = reply { return self.reply(.deactivated(wait.cancelled), wait.id, session) }
    self.reply(reply, wait.id, session)
  }

  /// What these wait for has come to pass.
  private func settle(_ target: Wait.Target, _ reply: Reply) {
    guard waits.isAwaited(target) else { return }
    settle(waits.take(target), reply)
  }

  private func settle(_ numbers: [Int], _ reply: Reply) {
    settled.append(Settled(numbers: numbers[...], reply: reply))
    // Behind others it has its turn when they have had theirs.
    if settled.count == 1 { settleSome() }
  }

  /// Settles as many as this turn has room for, and sees to it that the rest gets a turn.
  private func settleSome() {
    if settledInTurn.turn != loop.turn { settledInTurn = (loop.turn, 0) }
    while settledInTurn.count < Self.settledPerTurn, !settled.isEmpty {
      guard let number = settled[0].numbers.popFirst() else {
        settled.removeFirst()
        continue
      }
      settledInTurn.count += 1
      settle(number, settled[0].reply)
    }
    guard !settled.isEmpty, !isSettlingAsked else { return }
    isSettlingAsked = true
    loop.performNextTurn { [weak self] in
      self?.assumeIsolated { supervisor in
        supervisor.isSettlingAsked = false
        supervisor.settleSome()
      }
    }
  }

  /// Has all that are settled answered, however many they are. For the end.
  func settleAll() {
    while let next = settled.popFirst() {
      for number in next.numbers { settle(number, next.reply) }
    }
  }

  func answerStateWaits(_ record: StateRecord) {
    for states in Wait.Target.States.allCases {
      let target = Wait.Target.states(states)
      if waits.isAwaited(target), let state = target.state(in: record) { settle(target, .state(state)) }
    }
  }

  func answerInitializerWaits(_ snapshot: InitializerSnapshot) {
    guard waits.isAwaited(.initializer(snapshot.declaration.name)) else { return }
    let state: StateShape
    switch snapshot.status {
    case .complete: state = StateShape(StateShape.Name.complete)
    case .cancelled: state = StateShape(StateShape.Name.cancelled)
    case .failed, .notRun:
      guard let failure = snapshot.failure else { return }
      state = StateShape(StateShape.Name.failed, error: ErrorShape(failure))
    case .idle, .waiting, .running, .stopping: return
    }
    settle(.initializer(snapshot.declaration.name), .state(state))
  }

  /// A pass has ended.
  func answerPassWaits(_ number: Int, with state: StateShape) { settle(.pass(number), .state(state)) }

  /// Whoever waited for what a deactivation cancelled to have stopped.
  func answerQuietWaits() {
    guard waits.isAwaited(.quiet), !read({ $0.isActiveStopping }) else { return }
    settle(.quiet, .deactivated([]))
  }

  /// A name was taken away: nobody will complete it, unless it may yet appear.
  func refuseWaits(for name: String) {
    guard waits.isAwaited(.initializer(name)) else { return }
    let numbers = waits.waiting(for: .initializer(name)).filter { !$0.wait.mayAppear }.map(\.number)
    settle(numbers, .error(unknown(name)))
  }

  /// Answers every open wait with an error. Who waits for what a deactivation cancelled waits on: that will have stopped.
  func refuseWaits(_ error: WireError) {
    for (number, wait) in waits.all where wait.target != .quiet { settle(number, .error(error)) }
  }
}

extension Wait.Target: CustomStringConvertible {
  /// What it is called in messages.
  var description: String {
    switch self {
    case .states(let states): "\(states)"
    case .initializer(let name): "\(name)"
    case .pass(let number): "pass \(number)"
    case .quiet: "what was cancelled to stop"
    }
  }

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
