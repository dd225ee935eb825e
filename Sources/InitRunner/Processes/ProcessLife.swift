internal import InitCore
internal import InitWords

/// Decides what to do with a kept process: a value.
///
/// The value gets events, and returns effects; ``KeptProcess`` carries them out.
struct ProcessLife: Hashable {
  /// An event of the process, or a request.
  enum Event: Hashable {
    /// The initializers that the process depends on are complete.
    case dependenciesCompleted
    /// A pass was requested, which may need it.
    ///
    /// `isNeeded` is true if an initializer waits for the process to register: then the process is started even if it has ended.
    case requested(isNeeded: Bool)
    /// The process was started.
    case started
    /// The process has exited, or couldn't be started.
    case exited(Cause)
    /// A value that the process needs isn't there, so it wasn't started.
    case refused(Cause)
    /// The process is known to be ready.
    case becameReady
    /// A run of the process's initializer began; it ends when the process is ready (S32).
    case runBegan
    /// The process's run was cancelled.
    case runCancelled
    /// The process that runs is unhealthy, and its policy decides what follows; with the reason (S38).
    case becameUnhealthy(Cause)
    /// The process wasn't ready before the timeout of its run (S15): its exit counts as one with failure.
    case runTimedOut
    /// The deadline may have come.
    case timePassed
    /// A person stops the process: it isn't started until `startedByPerson`.
    case stoppedByPerson
    /// A person starts the process.
    ///
    /// `mayStart` is true if no run will start it, and its dependencies are complete.
    case startedByPerson(mayStart: Bool)
    /// A person restarts the process that runs.
    case restartedByPerson
    /// A reload is about to halt the process (S27): from now on it isn't started, and a run waits, until it is resumed.
    case haltPrepared
    /// The reload halts the process now.
    case haltRequested
    /// The reload has halted all processes that it must halt.
    ///
    /// `mayStart` is true if the process is started without a run, provided that it ran before or was about to.
    case resumed(mayStart: Bool)
    /// The supervisor shuts down: the process isn't started any more.
    case restartsEnded
    /// The process must end now, because of the shutdown (S24).
    case stopRequested
  }

  /// An action that the owner of the value must carry out.
  enum Effect: Hashable {
    /// Start the process, and answer with `started` or `exited`.
    case start
    /// Send the process its stop signal.
    case signal
    /// Send SIGKILL: the process hasn't exited in time.
    case kill
    /// Find out whether the process is ready, and answer with `becameReady`.
    case beginProbe
    case endProbe
    /// Let the run's timeout begin again after this time.
    case extendRun(by: Duration)
    /// Tell the run that the process has ended, and that the run continues.
    case reportEnd
    /// End the run: with the reason why the process won't be ready, if it won't.
    case endRun(Cause?)
    /// Tell the machine that a process that was ready has ended.
    case reportLoss
    /// Tell the machine that the process is ready, although no run waits for that.
    case reportReady
    /// Log that the process is restarted because its initializer runs again.
    case announceRerun
    /// Log that the process waits for its restart.
    case announceRestart(after: Duration)
    /// Log that the process is given up because it was unhealthy.
    case announceUnhealthyEnd
    /// Log that the process is given up after so many ends.
    case announceSurrender(ends: Int)
    /// Go on with the reload that has waited for its exit.
    case continueReload
    /// Go on with the shutdown.
    case continueShutdown
  }

  /// The state of the process.
  enum State: Hashable {
    /// The process doesn't run, and nothing prevents a start.
    case idle
    case running
    /// The process waits for its restart.
    case waiting(until: Duration)
    /// The process was asked to exit.
    ///
    /// The process is killed at that time, unless it was killed before.
    case stopping(Stop, killAt: Duration?)
    /// The process exited too often, and isn't restarted until somebody requests it.
    case givenUp
    case ended
  }

  /// The actions after a process has exited on request: in this order, as far as each is requested.
  struct Stop: Hashable {
    /// The run was cancelled, and ends.
    var endsRun = false
    /// The reload continues.
    var halts = false
    /// The process is never started again, and the shutdown continues.
    var isLast = false
    /// The process is started again for a run, unless something else is requested.
    var restarts = false
    /// The process is started again because a person wants it, unless something else is requested.
    var startsAgain = false
    /// The process was unhealthy: the policy decides whether it is started again, unless something else is requested.
    var isUnhealthy = false
    /// The start took too long: the policy decides whether the process is started again, unless something else is requested.
    var isFailure = false
  }

  /// The effect of a reload on the process.
  private struct Halt: Hashable {
    /// Whether the process ran before the reload, or was about to.
    let wasUp: Bool
    /// Whether the run in flight belongs to the previous definition.
    var isRunOutdated: Bool
    /// Whether the process doesn't run any more.
    var isHalted = false
  }

  private(set) var state = State.idle
  /// How long the process may take to exit before SIGKILL.
  var grace: Duration
  /// Whether launch is about to decide something above the process, so the process isn't started by itself (S30).
  var isHeld = false
  private(set) var lifetime = Lifetime(startedAt: .zero)
  /// How often the process was started.
  private(set) var starts = 0
  private(set) var lastExit: Cause?
  /// Whether the process's readiness can be detected: then its start is an initializer; otherwise it is started once its dependencies are
  /// complete.
  private(set) var hasReadiness: Bool
  /// Whether the process waits for its dependencies.
  private(set) var isGated: Bool
  /// Whether the process runs and is ready.
  private(set) var isReady = false
  /// Whether a person has stopped it.
  private(set) var isStoppedByPerson = false
  /// How many of the starts a person has requested, or a run that restarts it (S26): they make up for no crash.
  private(set) var requestedStarts = 0
  /// Why the process that is stopped was unhealthy.
  private var illness: Cause?
  /// Whether a person has asked for what leads to the next start.
  private var isStartRequested = false
  /// Whether the shutdown has ended it.
  private(set) var isStopped = false
  private var restarts: Restarts
  /// Whether a run of its initializer is in flight.
  private var hasRun = false
  /// Whether a run has completed with the start that runs: the next run restarts it (S26).
  private var isUsed = false
  /// Whether the start before has taken too long: the process has all the time that it needs, even if a run begins.
  private var isLate = false
  /// Whether the process has ended permanently, and no run has failed because of that.
  private var isLossOpen = false
  private var halt: Halt?
  private var isFinal = false

  init(_ restarts: Restarts, grace: Duration, hasReadiness: Bool) {
    self.restarts = restarts
    self.grace = grace
    self.hasReadiness = hasReadiness
    isGated = !hasReadiness
  }

  /// Takes another definition, which holds from the next start or exit on; nil for the same policy.
  mutating func adopt(_ restarts: Restarts?, hasReadiness: Bool) {
    if let restarts { self.restarts = restarts }
    self.hasReadiness = hasReadiness
  }

  /// Records that a waiter in the process begins to wait for initializers.
  mutating func beginWait(_ waiter: Int, at now: Duration) { lifetime.beginWait(waiter, at: now) }

  /// Records that a wait is over.
  mutating func endWait(_ waiter: Int, at now: Duration) { lifetime.endWait(waiter, at: now) }

  /// When `timePassed` has an effect.
  var deadline: Duration? {
    switch state {
    case .waiting(let until): mayRestart ? until : nil
    case .stopping(_, let killAt): killAt
    case .idle, .running, .givenUp, .ended: nil
    }
  }

  /// The state of the process, as far as it matters for the initializers that it registers.
  var standing: ProcessStanding {
    switch state {
    case .running, .waiting: .alive
    case .stopping(let stop, _): stop.isLast ? .idle : .alive
    case .idle: .idle
    case .givenUp, .ended: isFinal ? .idle : .ended(finalCause)
    }
  }

  /// Whether there is a process.
  var isRunning: Bool {
    switch state {
    case .running, .stopping: true
    case .idle, .waiting, .givenUp, .ended: false
    }
  }

  /// Whether a run waits until the process that runs is ready; not while the process before it is stopped, for a reload or for the run.
  var isStarting: Bool { hasRun && !isUsed && halt?.isRunOutdated != false }

  /// Whether a reload waits for its exit.
  var isHalting: Bool { if case .stopping(let stop, _) = state { stop.halts } else { false } }

  /// Whether a reload is going to resume it.
  var isResumable: Bool { halt != nil }

  /// Processes one event, and returns the effects in order.
  mutating func apply(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .dependenciesCompleted: isGated && mayStart ? start(at: now) : []
    case .requested(let isNeeded): request(isNeeded: isNeeded, at: now)
    case .started: hasReadiness ? [.beginProbe] : []
    case .exited(let cause): exit(cause, at: now)
    case .refused(let cause): refuse(cause)
    case .becameReady: becomeReady()
    case .runBegan: beginRun(at: now)
    case .runCancelled: cancelRun(at: now)
    case .becameUnhealthy(let cause): stopUnhealthy(cause, at: now)
    case .runTimedOut: endLateRun(at: now)
    case .timePassed: passTime(at: now)
    case .stoppedByPerson: stopForPerson(at: now)
    case .startedByPerson(let mayStart): startForPerson(mayStart: mayStart, at: now)
    case .restartedByPerson: restartForPerson(at: now)
    case .haltPrepared: prepareHalt()
    case .haltRequested: beginHalt(at: now)
    case .resumed(let mayStart): resume(mayStart: mayStart, at: now)
    case .restartsEnded: endRestarts()
    case .stopRequested: end(at: now)
    }
  }

  /// The extension of a run whose process may take any time.
  private static let unlimited = Duration.seconds(100_000_000)

  /// Whether the process may be held, so `isHeld` matters for this event: it doesn't run, or ends now.
  func mayBeHeld(at event: Event) -> Bool {
    if case .exited = event { return true }
    return !isRunning
  }

  // MARK: Starts and exits

  /// Whether the process may be started at all.
  private var mayStart: Bool { !isFinal && halt == nil && !isStoppedByPerson }

  /// Whether the process may be restarted now: a run has begun only if nothing above the process is open.
  private var mayRestart: Bool { mayStart && (hasRun || !isHeld) }

  private mutating func start(at now: Duration) -> [Effect] {
    state = .running
    isGated = false
    if isStartRequested {
      // The exit was asked for: it is no trouble of this start.
      lastExit = nil
      if starts > 0 { requestedStarts += 1 }
      isStartRequested = false
    }
    starts += 1
    lifetime = Lifetime(startedAt: now)
    return [.start]
  }

  /// Starts the process at once if it waits for its restart, or was given up: the problem may have been fixed.
  ///
  /// Requests a start. A process that has ended, and whose start is an initializer, is started by its next run.
  private mutating func request(isNeeded: Bool, at now: Duration) -> [Effect] {
    let isWanted =
      switch state {
      case .waiting: true
      case .givenUp: !hasReadiness
      case .ended: !hasReadiness && isNeeded
      case .idle, .running, .stopping: false
      }
    guard isWanted, mayStart else { return [] }
    restarts.forgive()
    guard mayRestart else {
      // It is due as soon as launch has decided what is above it.
      state = .waiting(until: now)
      return []
    }
    return start(at: now)
  }

  private mutating func passTime(at now: Duration) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    switch state {
    case .waiting: return start(at: now)
    case .stopping(let stop, _):
      state = .stopping(stop, killAt: nil)
      return [.kill]
    case .idle, .running, .givenUp, .ended: return []
    }
  }

  private mutating func exit(_ cause: Cause, at now: Duration) -> [Effect] {
    guard isRunning else { return [] }
    let wasReady = isReady
    lastExit = cause
    isReady = false
    isUsed = false
    guard case .stopping(let stop, _) = state else {
      return [.endProbe] + decide(wasReady: wasReady, isSuccess: isSuccess, at: now)
    }
    state = .idle
    var effects: [Effect] = []
    if stop.endsRun { effects += endRun(nil) }
    if stop.halts { effects += endHalt() + [.continueReload] }
    if stop.isLast { effects += finish() }
    if stop.isUnhealthy, mayStart, effects.isEmpty { return decideUnhealthy(at: now) }
    if stop.restarts, hasRun, mayStart, effects.isEmpty {
      return [.extendRun(by: .zero)] + startAgain(at: now)
    }
    if stop.startsAgain, mayStart, !stop.halts, !stop.isLast {
      isStartRequested = true
      guard mayRestart else {
        // It is due as soon as launch has decided what is above it.
        state = .waiting(until: now)
        return effects
      }
      return effects + startAgain(at: now)
    }
    if stop.isFailure, mayStart {
      effects += decide(wasReady: false, isSuccess: false, at: now)
      isLate = !isForGood
    }
    return effects
  }

  private mutating func startAgain(at now: Duration) -> [Effect] {
    isStartRequested = true
    return start(at: now)
  }

  private mutating func stopUnhealthy(_ cause: Cause, at now: Duration) -> [Effect] {
    guard state == .running, isReady || !hasReadiness else { return [] }
    illness = cause
    return (isReady ? [.reportLoss] : []) + stop(at: now) { $0.isUnhealthy = true }
  }

  /// Decides what follows the exit of an unhealthy process: one that isn't started again is given up.
  private mutating func decideUnhealthy(at now: Duration) -> [Effect] {
    lastExit = illness
    let effects = decide(wasReady: false, isSuccess: false, at: now)
    guard state == .ended else { return effects }
    state = .givenUp
    return [.announceUnhealthyEnd] + effects
  }

  /// Gives the process up until somebody requests it, because another start would lack the same value.
  private mutating func refuse(_ cause: Cause) -> [Effect] {
    guard state == .running else { return [] }
    lastExit = cause
    state = .givenUp
    isGated = !hasReadiness
    return hasRun ? failRun() : []
  }

  /// Decides what follows an exit that wasn't requested, or the exit of a start that took too long.
  private mutating func decide(wasReady: Bool, isSuccess: Bool, at now: Duration) -> [Effect] {
    guard !isFinal else {
      state = .ended
      return []
    }
    var effects: [Effect] = []
    if halt != nil {
      state = .idle
    } else {
      switch restarts.ended(isSuccess: isSuccess, lived: lifetime.lived(at: now)) {
      case .done: state = .ended
      case .givenUp(let ends):
        state = .givenUp
        effects = [.announceSurrender(ends: ends)]
      case .again(let delay):
        state = .waiting(until: now + delay)
        effects = [.announceRestart(after: delay)]
      }
    }
    if hasRun {
      effects += isForGood ? failRun() : [.reportEnd]
    } else if wasReady {
      isLossOpen = isForGood
      effects.append(.reportLoss)
    }
    return effects
  }

  private var isSuccess: Bool { lastExit == .exit(status: 0) }

  /// Whether the process isn't restarted automatically.
  private var isForGood: Bool {
    switch state {
    case .givenUp, .ended: true
    case .idle, .running, .waiting, .stopping: false
    }
  }

  /// Why the process has ended permanently.
  private var finalCause: Cause {
    isSuccess ? .error(message: "its process has ended with exit status 0") : lastExit ?? .workerLost
  }

  /// Asks the process to exit, or adds to the actions after its exit.
  private mutating func stop(at now: Duration, then request: (inout Stop) -> Void) -> [Effect] {
    if case .stopping(var stop, let killAt) = state {
      request(&stop)
      state = .stopping(stop, killAt: killAt)
      return []
    }
    var stop = Stop()
    request(&stop)
    state = .stopping(stop, killAt: now + grace)
    isReady = false
    return [.endProbe, .signal]
  }

  // MARK: The run (S32)

  /// Begins a run: starts the process, unless it runs or waits for its restart, and finds out whether it is ready.
  ///
  /// If a run has completed with this start, the process is first stopped and started again (S26); the time to stop doesn't count for the
  /// run's timeout. If the process has ended permanently since it was ready, the run fails; the next run starts it again.
  private mutating func beginRun(at now: Duration) -> [Effect] {
    hasRun = true
    if isStoppedByPerson { return [] }
    guard halt == nil else {
      halt?.isRunOutdated = false
      return []
    }
    switch state {
    case .running where isUsed:
      restarts.forgive()
      return [.announceRerun, .extendRun(by: grace)] + stop(at: now) { $0.restarts = true }
    case .running where isLate && !isReady: return [.beginProbe, .extendRun(by: Self.unlimited)]
    case .running: return isReady ? completeRun() : [.beginProbe]
    case .stopping: return stop(at: now) { $0.restarts = true }
    case .waiting: return []
    case .ended where isLossOpen, .givenUp where isLossOpen: return failRun()
    case .idle, .ended, .givenUp:
      restarts.forgive()
      return start(at: now)
    }
  }

  /// Cancels the run: the process is stopped, and the run ends when it has exited.
  private mutating func cancelRun(at now: Duration) -> [Effect] {
    guard hasRun else { return [] }
    // A reload is about to halt the process, whose definition this run doesn't belong to.
    if halt?.isRunOutdated == false { return endRun(nil) }
    switch state {
    case .running, .stopping:
      return stop(at: now) { $0.endsRun = true }
    case .waiting:
      state = .idle
      return endRun(nil)
    case .idle, .givenUp, .ended: return endRun(nil)
    }
  }

  /// Ends a run that has taken too long: the process is stopped, and its policy decides whether it is started again.
  private mutating func endLateRun(at now: Duration) -> [Effect] {
    guard hasRun, halt?.isRunOutdated != false else { return cancelRun(at: now) }
    switch state {
    case .running, .stopping:
      return stop(at: now) {
        $0.endsRun = true
        $0.isFailure = true
      }
    case .idle, .waiting, .givenUp, .ended: return endRun(nil)
    }
  }

  private mutating func becomeReady() -> [Effect] {
    guard state == .running, !isReady else { return [] }
    isReady = true
    isLate = false
    return [.endProbe] + (hasRun ? completeRun() : [.reportReady])
  }

  private mutating func completeRun() -> [Effect] {
    if hasRun { isUsed = true }
    return endRun(nil)
  }

  private mutating func failRun() -> [Effect] {
    isLossOpen = false
    return endRun(finalCause)
  }

  private mutating func endRun(_ cause: Cause?) -> [Effect] {
    guard hasRun else { return [] }
    hasRun = false
    return [.endRun(cause)]
  }

  // MARK: A person's requests

  /// Stops the process until a person starts it.
  private mutating func stopForPerson(at now: Duration) -> [Effect] {
    guard !isStoppedByPerson, !isFinal else { return [] }
    isStoppedByPerson = true
    isStartRequested = true
    isLossOpen = false
    isLate = false
    switch state {
    case .running: return stop(at: now) { _ in }
    case .stopping:
      return stop(at: now) {
        $0.restarts = false
        $0.startsAgain = false
        $0.isFailure = false
        $0.isUnhealthy = false
      }
    case .idle, .waiting, .givenUp, .ended:
      state = .idle
      return []
    }
  }

  /// Starts what a person has stopped, or what was given up.
  private mutating func startForPerson(mayStart: Bool, at now: Duration) -> [Effect] {
    guard !isFinal, state != .running || isStoppedByPerson else { return [] }
    isStoppedByPerson = false
    restarts.forgive()
    guard halt == nil else { return [] }
    switch state {
    case .running: return []
    case .stopping:
      return stop(at: now) {
        $0.startsAgain = true
        $0.isUnhealthy = false
        $0.isFailure = false
      }
    case .idle, .waiting, .givenUp, .ended:
      isStartRequested = true
      guard mayStart || hasRun else {
        state = .idle
        isGated = !hasReadiness
        return []
      }
      return startAgain(at: now)
    }
  }

  /// Stops the process that runs, and starts it again.
  private mutating func restartForPerson(at now: Duration) -> [Effect] {
    guard isRunning, mayStart else { return [] }
    restarts.forgive()
    return (hasRun ? [.extendRun(by: grace)] : [])
      + stop(at: now) {
        $0.restarts = true
        $0.startsAgain = true
        $0.isUnhealthy = false
        $0.isFailure = false
      }
  }

  // MARK: Reloads (S27)

  private mutating func prepareHalt() -> [Effect] {
    isGated = false
    let wasUp =
      switch state {
      case .running, .waiting, .stopping: true
      case .idle, .givenUp, .ended: false
      }
    halt = Halt(wasUp: halt?.wasUp ?? wasUp, isRunOutdated: hasRun, isHalted: halt?.isHalted ?? false)
    return []
  }

  /// Ends the process so that it can be started again, or removed.
  private mutating func beginHalt(at now: Duration) -> [Effect] {
    guard halt?.isHalted == false else { return [] }
    guard isRunning else { return endHalt() }
    return (isReady ? [.reportLoss] : []) + stop(at: now) { $0.halts = true }
  }

  private mutating func endHalt() -> [Effect] {
    state = .idle
    // The exit was asked for, or is one of the definition before: it is no trouble of this one.
    lastExit = nil
    isLossOpen = false
    isLate = false
    halt?.isHalted = true
    guard halt?.isRunOutdated == true else { return [] }
    halt?.isRunOutdated = false
    return endRun(nil)
  }

  private mutating func resume(mayStart: Bool, at now: Duration) -> [Effect] {
    guard let halt, !isFinal else { return [] }
    self.halt = nil
    isGated = !hasReadiness
    return !isStoppedByPerson && hasReadiness && (hasRun || halt.wasUp && mayStart) ? start(at: now) : []
  }

  // MARK: The shutdown (S24)

  private mutating func endRestarts() -> [Effect] {
    isFinal = true
    return []
  }

  private mutating func end(at now: Duration) -> [Effect] {
    isRunning ? stop(at: now) { $0.isLast = true } : finish()
  }

  private mutating func finish() -> [Effect] {
    state = .ended
    isStopped = true
    return [.continueShutdown]
  }
}
