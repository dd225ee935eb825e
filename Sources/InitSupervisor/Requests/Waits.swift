internal import DequeModule
internal import EventLoop
internal import InitCore
internal import InitModel
internal import InitRunner
internal import InitServer
internal import InitWire
internal import InitWords
internal import WireConversions

/// The waits of all clients: each is answered as soon as its target is no longer pending (protocol §4, S1, S10).
///
/// A change settles all waits for its target at once. The answers are made in portions, so many waits don't block the loop.
final class Waits {
  /// Settled waits, in order, and their answer.
  private struct Settled {
    var numbers: ArraySlice<Int>
    /// Nil if each gets the names that it cancelled.
    let reply: DeferredAnswer?
  }

  /// A client with open waits, and their numbers.
  private struct Asker {
    let client: Outgoing
    var numbers: Set<Int> = []
  }

  /// How many waits are settled in a turn of the loop.
  private static let settledPerTurn = 256

  let shared: SupervisorContext
  private let processes: Processes
  private let answers: AnswerEncoder
  private var list = WaitList()
  private var askers: [Int: Asker] = [:]
  /// The number of open waits of each user other than root and the supervisor's own.
  private var countsByUser: [UInt32: Int] = [:]
  /// Fires at the earliest deadline of a wait, `deadline`.
  private let timer: EventLoop.Timer
  private var deadline = Duration.zero
  /// Settled waits that haven't been answered.
  private var settled: Deque<Settled> = []
  /// How many waits were settled in the turn of this number, and whether a further turn was requested.
  private var settledInTurn = (turn: 0, count: 0)
  private var isSettlingAsked = false

  init(_ shared: SupervisorContext, processes: Processes, answers: AnswerEncoder) {
    self.shared = shared
    self.processes = processes
    self.answers = answers
    timer = Timer(loop: shared.loop, name: "waits")
  }

  /// The number of open waits.
  var count: Int { list.count }

  /// Whether a client has open waits.
  func isWaiting(_ client: Int) -> Bool { askers[client]?.numbers.isEmpty == false }

  /// Whether some settled waits haven't been answered.
  var isSettling: Bool { !settled.isEmpty }

  /// Answers the request now, or keeps it open.
  func handle(_ params: WaitRequest, id: RequestID, of client: Outgoing) throws(WireError) {
    guard !shared.isEnding else { throw WireError(Refusal.shuttingDown) }
    switch params.target {
    case .state(let which):
      if let state = which.settled(in: shared.read { $0.states }) { return client.reply(.state(state), to: id) }
    case .initializer(let name):
      if let outcome = shared.read({ $0.outcome(of: name) }), outcome != .complete || !isUnhealthy(name) {
        return client.reply(.state(Status.State(outcome)), to: id)
      }
      if !shared.isKnown(name), let state = processes.shape(of: name).flatMap(Self.settled) {
        return client.reply(.state(state), to: id)
      }
      if !params.appear, !shared.isKnown(name), !processes.keeps(name) { throw .unknown(name) }
    case .pass(let number):
      switch shared.read({ $0.knowledge(of: PassID(number)) }) {
      case .underWay: break
      case .unknown:
        throw .invalidParams(
          "params.pass", "unknown pass \(number): it was never requested, or it isn't one of the last 32")
      case .ended(let outcome):
        if let state = Status.State(outcome, pass: number) { return client.reply(.state(state), to: id) }
      }
    }
    try add(
      Wait(
        id: id, session: client.id, target: .asked(params.target), mayAppear: params.appear,
        deadline: params.timeout.map { shared.loop.now + .seconds($0) }), of: client)
  }

  /// Keeps a request open.
  func add(_ wait: Wait, of client: Outgoing) throws(WireError) {
    let own = askers[client.id]?.numbers.count ?? 0
    guard own + client.replyCount < shared.limits.waits else {
      throw WireError(
        .limitExceeded, "cannot keep more than \(shared.limits.waits) waits open on one connection",
        detail: .limit("waits"))
    }
    guard list.count < shared.limits.allWaits else {
      throw WireError(
        .limitExceeded, "cannot keep more than \(shared.limits.allWaits) waits open on all connections together",
        detail: .limit("allWaits"))
    }
    // Half of the waits is for other users, like half of the connections.
    guard client.isOwn || countsByUser[client.user, default: 0] < waitsPerUser else {
      throw WireError(
        .limitExceeded,
        """
        cannot keep more than \(waitsPerUser) waits of user \(client.user) open, half of the limit of \(shared.limits.allWaits): end one, or \
        raise --limit allWaits
        """, detail: .limit("allWaits"))
    }
    count(by: 1, of: client)
    askers[client.id, default: Asker(client: client)].numbers.insert(list.add(wait))
    watchDeadlines()
    client.waitBytes += wait.heldBytes
  }

  private var waitsPerUser: Int { max(1, shared.limits.allWaits / 2) }

  private func count(by difference: Int, of client: Outgoing) {
    guard !client.isOwn else { return }
    let count = countsByUser[client.user, default: 0] + difference
    countsByUser[client.user] = count > 0 ? count : nil
  }

  /// Removes the waits of a client that has disconnected.
  func forget(_ client: Int) {
    guard let asker = askers.removeValue(forKey: client) else { return }
    if !asker.numbers.isEmpty { processes.endWait(client) }
    for number in asker.numbers { _ = list.remove(number) }
    count(by: -asker.numbers.count, of: asker.client)
  }

  /// Stops watching deadlines.
  func close() { timer.close() }

  // MARK: Settling

  private func watchDeadlines() {
    guard let next = list.nextDeadline else { return timer.stop() }
    guard !timer.isActive || next < deadline else { return }
    deadline = next
    timer.start(at: next) { [weak self] in self?.timeOut() }
  }

  private func timeOut() {
    let now = shared.loop.now
    for _ in 0..<Self.settledPerTurn {
      guard let number = list.expired(at: now) else { break }
      let target = if case .asked(let target)? = list[number]?.target { "\(target)" } else { "" }
      settle(number, answers.timedOut("timed out waiting for \(target)"))
    }
    // The remaining expired waits get the next turn.
    watchDeadlines()
  }

  /// Removes a wait and answers it; without an answer, with the names that it cancelled.
  private func settle(_ number: Int, _ reply: DeferredAnswer?) {
    guard let wait = list.remove(number), let client = askers[wait.session]?.client else { return }
    askers[wait.session]?.numbers.remove(number)
    if !isWaiting(wait.session) { processes.endWait(wait.session) }
    client.waitBytes -= wait.heldBytes
    count(by: -1, of: client)
    client.reply(reply ?? .deactivated(wait.cancelled), to: wait.id)
  }

  /// Settles all waits for this target.
  private func settle(_ target: Wait.Target, _ reply: DeferredAnswer?) {
    guard list.isAwaited(target) else { return }
    settle(list.removeGroup(target), reply)
  }

  private func settle(_ numbers: [Int], _ reply: DeferredAnswer?) {
    settled.append(Settled(numbers: numbers[...], reply: reply))
    // If others are being settled, they come first.
    if settled.count == 1 { settleSome() }
  }

  /// Settles as many as this turn allows, and requests a turn for the rest.
  private func settleSome() {
    if settledInTurn.turn != shared.loop.turn { settledInTurn = (shared.loop.turn, 0) }
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
    shared.loop.nextTurn { [weak self] in
      self?.isSettlingAsked = false
      self?.settleSome()
    }
  }

  /// Answers all settled waits at once, for the end.
  func settleAll() {
    while let next = settled.popFirst() {
      for number in next.numbers { settle(number, next.reply) }
    }
  }

  // MARK: Changes

  /// Answers the waits that the new states settle.
  func answer(_ record: StateRecord) {
    for which in WaitTarget.State.allCases {
      let target = Wait.Target.asked(.state(which))
      if list.isAwaited(target), let state = which.settled(in: record) { settle(target, .state(state)) }
    }
  }

  /// Answers the waits that an initializer's change settles.
  func answer(_ snapshot: InitializerSnapshot) {
    let target = Wait.Target.asked(.initializer(snapshot.declaration.name))
    guard list.isAwaited(target) else { return }
    let state: Status.State
    switch snapshot.status {
    case .complete where isUnhealthy(snapshot.declaration.name): return
    case .complete, .skipped: state = Status.State(Status.State.Name.complete)
    case .cancelled: state = Status.State(Status.State.Name.cancelled)
    case .failed, .notRun:
      guard let failure = snapshot.failure else { return }
      state = Status.State(Status.State.Name.failed, error: InitializationError(failure))
    case .idle, .waiting, .running, .stopping: return
    }
    settle(target, .state(state))
  }

  /// Answers the waits for a process if it runs, and is an initializer that was unhealthy, or none.
  func answer(_ process: Status.Process) {
    let target = Wait.Target.asked(.initializer(process.name))
    guard list.isAwaited(target) else { return }
    let isComplete = process.pid != nil && shared.read { $0.outcome(of: process.name) } == .complete
    guard !shared.isKnown(process.name) || isComplete, let state = Self.settled(process) else { return }
    settle(target, .state(state))
  }

  private func isUnhealthy(_ name: String) -> Bool { processes.shape(of: name)?.unhealthy == true }

  /// Returns the answer about a process that is no initializer, if it runs, or has ended and isn't started again by itself.
  private static func settled(_ process: Status.Process) -> Status.State? {
    if process.pid != nil { return process.unhealthy == true ? nil : Status.State(Status.State.Name.complete) }
    guard process.stoppedBy == nil, process.nextStart == nil, let exit = process.lastExit else { return nil }
    let failure = Failure.initializerFailed(process.name, exit)
    return Status.State(Status.State.Name.failed, error: InitializationError(failure))
  }

  /// Answers the waits for a pass that has ended.
  func answer(pass: PassID, _ state: Status.State) { settle(.asked(.pass(pass.rawValue)), .state(state)) }

  /// Answers the waits of a deactivation if no run is stopping any more: the ended run may have been the last one.
  func answerIfQuiet() {
    guard list.isAwaited(.quiet), !shared.read({ $0.isActiveStopping }) else { return }
    settle(.quiet, nil)
  }

  /// Answers the cancellations of an operator whose runs have all stopped.
  ///
  /// At most one such wait exists for each run: a run that was cancelled can't be cancelled again.
  func answerIfStopped() {
    guard list.isAwaited(.stopped) else { return }
    for (number, wait) in list.waiting(for: .stopped)
    where shared.read({ machine in !wait.runs.contains { machine.initializer(ofRun: $0) != nil } }) {
      settle(number, nil)
    }
  }

  /// Refuses the waits for a name that was removed, except those for names that may appear later.
  func refuse(for name: String) {
    guard list.isAwaited(.asked(.initializer(name))) else { return }
    let numbers = list.waiting(for: .asked(.initializer(name))).filter { !$0.wait.mayAppear }.map(\.number)
    settle(numbers, .error(.unknown(name)))
  }

  /// Answers every open wait with an error.
  ///
  /// The waits of a deactivation or a cancellation stay open, because the cancelled runs will stop.
  func refuseAll(_ error: WireError) {
    for (number, wait) in list.all where wait.target != .quiet && wait.target != .stopped {
      settle(number, .error(error))
    }
  }
}

extension WireError {
  /// Returns the error for a name that isn't declared.
  static func unknown(_ name: String) -> WireError {
    WireError(.unknownInitializer, "\(Refusal.unknownInitializer(name))")
  }
}

extension WaitTarget.State {
  /// Returns the answer, if the state is no longer pending.
  fileprivate func settled(in record: StateRecord) -> Status.State? {
    let state: Status.State =
      switch self {
      case .launch: Status.State(record.launch)
      case .active: Status.State(record.active)
      case .composite: Status.State(record.composite)
      case .ready where record.isReady: Status.State(PhaseState.complete)
      case .ready: Status.State(record.composite == .complete ? .pending : record.composite)
      }
    return state.state == .pending ? nil : state
  }
}
