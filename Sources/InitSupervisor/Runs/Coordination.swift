internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitModel
internal import InitRunner
internal import InitServer
internal import InitText
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform
internal import WireConversions

/// The coordinator, and the runs that are marked `once`: asks it whether this host may run them, and has it record their completion
/// (PROTOCOL.md, "The coordinator").
///
/// `Claims` decides; this sends, executes and resumes.
final class Coordination {
  /// The provider of a run, and how it is executed with its fencing token.
  struct Work: Sendable {
    let provider: any FencedProvider
    let context: RunContext
  }

  /// A run that is marked `once`, from its start to its end.
  struct OnceRun {
    let work: Work
    let release: String
    let isSecret: Bool
    /// Resumed when the run has ended.
    let continuation: CheckedContinuation<Void, any Error>
    /// The task that executes the run here.
    var task: Task<Void, Never>?
    /// The connection that was asked.
    var asked: Int?
    /// Why the claim was lost.
    var loss: String?
    /// Whether the execution may still be running, because its worker was lost.
    var mayRun = false
  }

  let shared: SupervisorContext
  /// This, for the tasks that execute runs.
  private let owner: LoopReference<Coordination>
  /// The releases of the initializers that are marked `once`.
  private(set) var releases: [String: String] = [:]
  private var secrets: Set<String> = []
  private(set) var claims: Claims
  var runs: [RunID: OnceRun] = [:]
  private(set) var coordinator: Session?
  private let timer: BootTimer
  /// The last decision about each initializer.
  var decisions: [String: Initializer.Once] = [:]
  /// The initializers that this host has executed to their completion.
  var executed: Set<String> = []

  init(_ shared: SupervisorContext, owner: LoopReference<Coordination>) {
    self.shared = shared
    self.owner = owner
    let machine = shared.configuration.machine
    claims = Claims(registrationTimeout: machine.registrationTimeout, cancelGrace: machine.cancelGrace)
    timer = BootTimer(loop: shared.loop, name: "claims")
    readDeclarations()
    owner.refer(to: self)
  }

  /// Takes the initializers that are marked `once`, and the times, from the new configuration.
  ///
  /// Forgets the decisions of an earlier release.
  func reload() {
    let before = releases
    readDeclarations()
    let machine = shared.configuration.machine
    claims.set(registrationTimeout: machine.registrationTimeout, cancelGrace: machine.cancelGrace)
    guard releases != before else { return }
    decisions = decisions.filter { releases[$0.key] == $0.value.release }
    executed = executed.filter { releases[$0] == before[$0] }
  }

  private func readDeclarations() {
    let once = shared.configuration.initializers.filter { $0.isOnce }
    let release = shared.configuration.release ?? ""
    releases = Dictionary(once.map { ($0.declaration.name, release) }) { first, _ in first }
    secrets = Set(once.filter(\.isSecret).map(\.declaration.name))
  }

  /// Whether an initializer is marked `once`.
  func isOnce(_ name: String) -> Bool { releases[name] != nil }

  /// Returns the shape of an initializer with the last decision about it, if it is marked `once`.
  func shape(of snapshot: InitializerSnapshot) -> Initializer {
    var shape = Initializer(snapshot, seconds: shared.clock.seconds)
    if !releases.isEmpty, let release = releases[shape.name] {
      shape.once = decisions[shape.name] ?? Initializer.Once(release: release)
    }
    return shape
  }

  /// Returns whether this host has executed an initializer, rather than learned that another host has.
  func wasExecutedHere(_ name: String) -> Bool { executed.contains(name) }

  // MARK: Runs

  /// Starts a run that is marked `once`; `continuation` is resumed when it has ended.
  func start(_ work: Work, then continuation: CheckedContinuation<Void, any Error>) {
    let start = work.context.start
    guard shared.read({ $0.stopReason(of: start.run) }) == nil else {
      return continuation.resume(throwing: CancellationError())
    }
    runs[start.run] = OnceRun(
      work: work, release: releases[start.initializer] ?? "", isSecret: secrets.contains(start.initializer),
      continuation: continuation)
    handle(.started(run: start.run))
  }

  /// Cancels a run for the machine.
  func cancel(_ run: RunID) {
    runs[run]?.task?.cancel()
    takeOrder(for: run)
  }

  /// Takes the machine's decision about a run that it has ended.
  func recordEnd(of record: RunRecord) {
    guard runs[record.run] != nil else { return }
    let reason: String? = if case .failed(let cause) = record.outcome { "\(cause)" } else { nil }
    handle(.cancelled(run: record.run, reason))
  }

  /// Takes the machine's decision about a run, if the machine has told it to stop.
  private func takeOrder(for run: RunID) {
    guard let reason = shared.read({ $0.stopReason(of: run) }) else { return }
    handle(.cancelled(run: run, failure(of: run, stoppedFor: reason)))
  }

  /// Returns why a run that was told to stop for a reason counts as failed; nil if it counts as cancelled.
  private func failure(of run: RunID, stoppedFor reason: CancelReason) -> String? {
    switch reason {
    case .timeout: "timed out" + (shared.read { $0.lastMessage(of: run) }.map { ": \($0)" } ?? "")
    case .operator: shared.read { $0.canceller(of: run) }.map { "\(Cause.operator(user: $0))" }
    case .deactivated, .failed, .unregistered, .shutdown: nil
    }
  }

  /// Returns why the claim of a run was lost, if it was.
  func loss(of run: RunID) -> String? { runs[run]?.loss }

  func handle(_ event: ClaimEvent) {
    for effect in claims.apply(event, at: shared.loop.bootTime) { perform(effect) }
    if let deadline = claims.nextDeadline {
      timer.start(at: deadline) { [unowned self] in handle(.timePassed) }
    } else {
      timer.stop()
    }
  }

  private func perform(_ effect: ClaimEffect) {
    switch effect {
    case .awaitCoordinator(let run):
      report(run, "waits for a coordinator: start initfleet agent beside this supervisor")
    case .claim(let run): sendClaim(run)
    case .complete(let run): sendCompletion(of: run)
    case .unclaim(let run, let reason):
      let outcome: UnclaimNotification.Outcome = reason == nil ? .cancelled : .failed
      unclaim(UnclaimNotification(run: run.rawValue, outcome: outcome, message: reason))
    case .execute(let run, let fence): execute(run, fence)
    case .stop(let run, let reason):
      runs[run]?.loss = reason
      report(run, "stops, because its claim is lost: \(reason)")
      runs[run]?.task?.cancel()
    case .kill(let run): runs[run]?.work.provider.forceStop(run: run)
    case .finish(let run): finish(run)
    case .fail(let run, let reason): end(run, .failure(Cause.error(message: reason)))
    case .cancel(let run): end(run, .failure(CancellationError()))
    }
  }

  /// Ends a run that has completed here or elsewhere.
  ///
  /// The machine learns it in this turn, so no later order can cancel a run that the coordinator has recorded.
  private func finish(_ run: RunID) {
    guard let once = runs[run] else { return }
    if once.task != nil { executed.insert(once.work.context.initializer) }
    let output = once.work.context.handedOver
    shared.manager.assumeIsolated { $0.finish(run: run, .success, output: output) }
    end(run, .success(()))
  }

  private func end(_ run: RunID, _ result: Result<Void, any Error>) {
    runs.removeValue(forKey: run)?.continuation.resume(with: result)
  }

  /// Executes a run in a task of its own, which can be cancelled without the machine.
  private func execute(_ run: RunID, _ fence: Int) {
    guard let once = runs[run] else { return }
    let start = once.work.context.start
    decisions[start.initializer] = Initializer.Once(release: once.release, fence: fence)
    // The run may have waited for another host: its own time and its own progress begin only now.
    try? shared.apply(.runProgressed(run: run, fraction: nil, message: "", extend: start.timeout))
    let work = once.work
    runs[run]?.task = Task(executorPreference: shared.loop) { [owner] in
      let failure: (any Error)?
      do {
        try await work.provider.run(work.context, fence: fence)
        failure = nil
      } catch {
        failure = error
      }
      await owner.executionEnded(run, failure, on: owner.isolation)
    }
  }

  /// Handles the end of an execution for a run.
  func executionEnded(_ run: RunID, _ failure: (any Error)?) {
    guard runs[run] != nil else { return }
    // Only the machine decides whether the run was told to stop before it ended, so its decision comes first.
    takeOrder(for: run)
    guard let failure else { return handle(.succeeded(run: run)) }
    if failure as? Cause == .workerLost { runs[run]?.mayRun = true }
    handle(.stopped(run: run, "\(failure)"))
    // Unless the claim was lost, its own failure is the run's.
    end(run, .failure(failure))
  }

  func report(_ run: RunID, _ message: String) {
    try? shared.apply(.runProgressed(run: run, fraction: nil, message: message, extend: nil))
  }

  // MARK: The coordinator

  /// Registers a client that offers to coordinate.
  ///
  /// - Throws: an error that says that another coordinator is connected.
  func register(_ session: Session) throws(WireError) -> CoordinateRequest.Result {
    if let coordinator, coordinator.id != session.id {
      throw WireError(
        .nameConflict,
        "cannot coordinate: \(coordinator.name) (connection \(coordinator.id)) does that already; end it first")
    }
    if coordinator == nil {
      coordinator = session
      shared.logger.info("\(session.name) is the coordinator")
      // The answer is sent before the first claim.
      let id = session.id
      shared.loop.later { [weak self] in self?.begin(id) }
    }
    return CoordinateRequest.Result(
      cancelGrace: shared.configuration.machine.cancelGrace.inSeconds,
      once: shared.configuration.initializers.filter { $0.isOnce }.map {
        CoordinateRequest.Result.Once(initializer: $0.declaration.name, release: releases[$0.declaration.name] ?? "")
      })
  }

  /// Begins to use the coordinator, after the answer to its offer was sent.
  func begin(_ id: Int) {
    if coordinator?.id == id { handle(.coordinatorConnected) }
  }

  /// Handles a lost connection.
  func lose(_ id: Int) {
    guard let session = coordinator, session.id == id else { return }
    coordinator = nil
    shared.logger.log(level: shared.isEnding ? .info : .warning, "\(session.name), the coordinator, has disconnected")
    handle(.coordinatorLost)
  }

  /// Ends all runs when the supervisor ends: nothing runs any more.
  func close() {
    timer.close()
    for run in runs.keys { end(run, .failure(CancellationError())) }
  }
}

extension LoopReference<Coordination> {
  fileprivate func executionEnded(_ run: RunID, _ failure: (any Error)?, on isolation: isolated LoopActor) {
    get()?.executionEnded(run, failure)
  }
}
