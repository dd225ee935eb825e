internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

/// A process that the supervisor starts and restarts when it exits: a worker of the manifest.
///
/// On the loop's thread.
final class KeptProcess: Component {
  /// The state.
  private enum State {
    case idle
    case running(ChildProcess, since: Duration)
    /// Waits for its restart, at that time.
    case waiting(until: Double)
    /// The process was asked to exit; `then` is called when it has exited.
    ///
    /// `isLast` says that it is never started again.
    case stopping(ChildProcess, since: Duration, isLast: Bool, then: () -> Void)
    /// The process exited too often, and isn't restarted until a client requests it.
    case givenUp
    case ended
  }

  /// The observer.
  struct Listener {
    /// The start with this number wrote a line.
    var onLine: (Int, OutputName, [UInt8]) -> Void
    /// Called when the shape has changed, other than in its uptime.
    var onChange: () -> Void
    /// The start with this number has ended, which is already logged.
    var onEnd: (Int, LogBook.End) -> Void
    /// Returns the variable with the notification socket of a start; none if it isn't known that way when the process is ready.
    var notifySocket: () throws -> [EnvironmentBlock.Variable]
    /// Called at its first start: returns its place among those of all processes.
    var onFirstStart: () -> Int
    /// The process was ready, and has ended.
    var onLoss: () -> Void
  }

  let name: String
  /// Counts all processes that were ever kept.
  let number: Int
  private(set) var declared: DeclaredWorker
  private var command: Command { declared.command }
  let shared: Shared
  private var environment: EnvironmentBlock
  private let timer: EventLoop.Timer
  private let listener: Listener
  private var restarts: Restarts
  private let seed: UInt64
  private var state = State.idle { didSet { listener.onChange() } }
  /// The run of its initializer, until it is ready.
  private var starting: Starting?
  /// The commands that check whether it is ready, by pid: one, and those that are killed.
  private var checks: [Int32: ChildProcess] = [:]
  /// Finds out whether it is ready, while it runs and isn't.
  private var probe: ProbeRun?
  /// Whether it runs, and has been found to be ready.
  private(set) var isReady = false
  /// Whether a run has completed with the start that runs: the next run restarts it (S26).
  private var isUsed = false
  /// Whether it is asked to exit because a run restarts it.
  private var isRestarting = false
  /// Whether it has ended for good, and no run has failed because of that.
  private var isLossOpen = false
  /// What a reload does with it; nil for nothing.
  private var replacement: Replacement?
  private var starts = 0
  private var lifetime = Lifetime(startedAt: .zero)
  private var lastExit: Cause?
  /// Why this supervisor has killed it; nil if it hasn't.
  private var killed: String?
  private var pipes: [OutputPipe] = []

  init(
    _ shared: Shared, _ declared: DeclaredWorker, environment: EnvironmentBlock, number: Int, seed: UInt64,
    listener: Listener
  ) {
    self.shared = shared
    self.number = number
    name = declared.name
    self.declared = declared
    self.seed = seed
    restarts = Restarts(declared, shared.configuration.limits, seed: seed)
    timer = Timer(loop: shared.loop, name: "worker \(declared.name)")
    self.environment = environment
    self.listener = listener
  }

  /// The shape.
  var shape: ProcessShape {
    var shape = ProcessShape(name: name, restarts: max(0, starts - 1), lastExit: lastExit)
    switch state {
    case .running(let child, let since), .stopping(let child, let since, _, _):
      shape.pid = Int(child.pid)
      shape.uptime = (loop.now - since).inSeconds
    case .waiting(let until): shape.nextStart = until
    case .givenUp: shape.givenUp = true
    case .idle, .ended: break
    }
    shape.skipped = declared.exclusion.map { SkippedShape($0, nil) }
    return shape
  }

  /// What it does, as far as it matters for the initializers that it registers.
  var standing: ProcessStanding {
    switch state {
    case .running, .waiting, .stopping(_, _, isLast: false, _): .alive
    case .idle, .stopping(_, _, isLast: true, _): .idle
    case .givenUp, .ended: isLast ? .idle : .ended(finalCause)
    }
  }

  /// Why it has ended for good.
  private var finalCause: Cause {
    let isSuccess = lastExit == .exit(status: 0)
    return isSuccess ? .error(message: "its process has ended with exit status 0") : lastExit ?? .workerLost
  }

  /// Starts it at once if it waits for its restart, or was given up: the problem may have been fixed.
  ///
  /// One that was given up, and whose start is an initializer, is started by its next run. `isNeeded` says whether an initializer waits for it
  /// to register: then it is started even if it has ended.
  func startNow(isNeeded: Bool) {
    guard !isLast, replacement == nil else { return }
    switch state {
    case .ended where isNeeded && !hasReadiness:
      restarts.forgive()
      start()
    case .givenUp where hasReadiness && starting == nil: break
    case .waiting, .givenUp:
      timer.stop()
      restarts.forgive()
      start()
    case .idle, .running, .stopping, .ended: break
    }
  }

  /// Starts it.
  func start() {
    starts += 1
    lifetime = Lifetime(startedAt: loop.now)
    killed = nil
    isUsed = false
    do {
      let streams = try ChildStreams(loop: loop, output: .pipe, error: .pipe)
      let child = try ChildProcess(
        loop: loop, arguments: command.arguments,
        environment: EnvironmentBlock(environment, adding: try listener.notifySocket()),
        directory: command.directory, settings: command.settings, streams: streams
      ) { [weak self] in self?.exited($0) }
      logger.info("worker \(name) started, pid \(child.pid)", metadata: members(.processStarted, child))
      order = order ?? listener.onFirstStart()
      state = .running(child, since: lifetime.started)
      let start = starts
      let outputs = [(child.standardOutput, OutputName.stdout), (child.standardError, OutputName.stderr)]
      pipes = try outputs.compactMap { output, name in
        try output.map {
          try OutputPipe(loop: loop, descriptor: $0, lineLimit: limits.logLineBytes) { [weak self] line in
            self?.listener.onLine(start, name, line)
          }
        }
      }
      if starting != nil { beginProbe() }
    } catch {
      logger.warning("worker \(name): \(error)", metadata: members(.processEnded))
      if case .running(let child, _) = state {
        killed = "\(error)"
        child.kill()
      } else {
        lastExit = .notFound(message: "\(error)")
        decide(isSuccess: false, lived: .zero, how: "\(error)")
      }
    }
  }

  /// Notes that a client waits for initializers (`initctl wait`).
  ///
  /// Returns whether the client belongs to this process, which then isn't at work.
  ///
  /// `group` is the client's process group.
  func beginWait(_ client: Int, inGroup group: Int32) -> Bool {
    guard case .running(let child, _) = state, child.pid == group else { return false }
    lifetime.beginWait(client, at: loop.now)
    return true
  }

  /// Notes that a client's wait is over.
  func endWait(_ client: Int) { lifetime.endWait(client, at: loop.now) }

  /// Whether there is a process now.
  var isRunning: Bool {
    switch state {
    case .running, .stopping: true
    case .idle, .waiting, .givenUp, .ended: false
    }
  }

  /// The process isn't restarted.
  var isLast = false

  /// Its place in the order of first starts; nil before.
  private(set) var order: Int?

  /// The process was stopped and has exited.
  private(set) var isStopped = false

  /// Ends it: by its signal, and SIGKILL if it doesn't exit in time.
  ///
  /// Calls back when it has exited, at once if it isn't running.
  func stop(then action: @escaping () -> Void) {
    switch state {
    case .running(let child, let since): end(child, since: since, isLast: true, then: action)
    // It was asked to exit before: its run was cancelled, or a reload needs it.
    case .stopping(let child, let since, _, let then):
      state = .stopping(
        child, since: since, isLast: true,
        then: {
          then()
          action()
        })
    case .idle, .waiting, .givenUp, .ended: finish(then: action)
    }
  }

  /// How long it may take to exit until SIGKILL.
  private var grace: Duration { declared.stopTimeout ?? configuration.machine.cancelGrace }

  private func end(_ child: ChildProcess, since: Duration, isLast: Bool, then action: @escaping () -> Void) {
    endProbe()
    state = .stopping(child, since: since, isLast: isLast, then: action)
    let grace = grace
    child.end(by: declared.stopSignal, within: grace) { [unowned self] in
      let signal = SignalName.of(declared.stopSignal)
      let limit = declared.stopTimeout == nil ? "cancelGrace" : "stopTimeout"
      let why = "it didn't exit within \(grace.words) of \(signal) (\(limit))"
      killed = why
      logger.warning(
        "worker \(name) (pid \(child.pid)) is killed with SIGKILL: \(why)",
        metadata: .event(.killed, process: name, run: RunID(starts), pid: child.pid))
    }
  }

  /// Closes its timer, because it isn't kept any more.
  func close() {
    endProbe()
    timer.close()
  }

  private func finish(then action: () -> Void) {
    endProbe()
    isStopped = true
    if case .ended = state {} else { state = .ended }
    timer.close()
    action()
  }

  /// Ends it at once.
  func kill() {
    switch state {
    case .running(let child, _), .stopping(let child, _, _, _):
      killed = killed ?? "initd didn't wait for it"
      child.kill()
    case .idle, .waiting, .givenUp, .ended: break
    }
  }

  private func exited(_ status: ExitStatus) {
    for pipe in pipes {
      pipe.drain()
      pipe.close()
    }
    pipes = []
    lastExit = killed.map { .error(message: "killed with SIGKILL: \($0)") } ?? Cause(status)
    // A cause says that a stranger has killed it.
    let predicate = if case .signaled = status, killed == nil { "was \(Cause(status))" } else { status.predicate }
    switch state {
    case .running(let child, let since):
      if let report = child.leftBehind.report(of: "worker \(name)") {
        logger.warning(
          "\(report)",
          metadata: .event(.leftBehind, process: name, run: RunID(starts), pids: child.leftBehind.map(\.pid)))
      }
      logger.log(
        level: status.isSuccess ? .info : .warning, "worker \(name) \(predicate)",
        metadata: members(.processEnded, child, since: since))
      listener.onEnd(starts, status.isSuccess && !isStarting ? .complete : .failed)
      decide(isSuccess: status.isSuccess, lived: lifetime.lived(at: loop.now), how: lastExit.map { "\($0)" } ?? "")
    case .stopping(let child, let since, let isLast, let action):
      logger.info("worker \(name) \(predicate)", metadata: members(.processEnded, child, since: since))
      // If it was starting, the end of its run says how it ended.
      if !isStarting { listener.onEnd(starts, .cancelled) }
      if isLast { return finish(then: action) }
      state = .idle
      action()
    case .idle, .waiting, .givenUp, .ended: break
    }
  }

  private func decide(isSuccess: Bool, lived: Duration, how: String) {
    let wasReady = isReady
    endProbe()
    guard !isLast else {
      state = .ended
      return
    }
    defer { recordLoss(wasReady: wasReady) }
    guard replacement == nil else {
      state = .idle
      return
    }
    switch restarts.ended(isSuccess: isSuccess, lived: lived) {
    case .done: state = .ended
    case .givenUp(let ends):
      state = .givenUp
      logger.error(
        """
        worker \(name) is given up: none of \(ends) starts in a row lasted \(limits.workerSettled.words), the last: \(how); \
        see initctl logs \(name), fix it, and start it with initctl launch or activate
        """, metadata: members(.processGivenUp))
    case .again(let delay):
      state = .waiting(until: shared.time + delay.inSeconds)
      logger.info("worker \(name) restarts in \(Phrases.duration(delay.inSeconds))")
      timer.start(after: delay) { [weak self] in
        guard let self, !isLast, replacement == nil else { return }
        start()
      }
    }
  }

  // MARK: Reloads (S27)

  /// What a reload does with it.
  private struct Replacement {
    /// The definition that it gets once it has been halted; nil for its own.
    var declared: (DeclaredWorker, EnvironmentBlock)?
    /// Whether it ran before, or was about to.
    let wasUp: Bool
    /// Whether its run in flight belongs to the definition before.
    var isRunOutdated: Bool
    /// Whether it doesn't run any more.
    var isHalted = false
  }

  /// Takes a definition whose work is the same: it holds from the next start or exit on.
  func adopt(_ declared: DeclaredWorker, environment: EnvironmentBlock) {
    guard replacement == nil else {
      replacement?.declared = (declared, environment)
      return
    }
    let isOther = declared.restart != self.declared.restart || declared.backoff != self.declared.backoff
    self.declared = declared
    self.environment = environment
    if isOther { restarts = Restarts(declared, limits, seed: seed) }
  }

  /// Prepares it to be halted by a reload: from now on it isn't started, and a run waits, until it is resumed or removed.
  ///
  /// `declared` is the definition that it is resumed with; nil for its own.
  func prepareToHalt(adopting declared: (DeclaredWorker, EnvironmentBlock)? = nil) {
    if var replacement {
      replacement.declared = declared ?? replacement.declared
      replacement.isRunOutdated = starting != nil
      self.replacement = replacement
      return
    }
    let wasUp =
      switch state {
      case .running, .waiting, .stopping: true
      case .idle, .givenUp, .ended: false
      }
    replacement = Replacement(declared: declared, wasUp: wasUp, isRunOutdated: starting != nil)
  }

  /// Ends it so that it can be started again, or removed.
  ///
  /// Calls back when it has exited, unless it doesn't run.
  ///
  /// - Returns: whether it runs.
  func halt(then action: @escaping () -> Void) -> Bool {
    guard replacement?.isHalted == false else { return false }
    let halted = { [unowned self] in
      endHalt()
      action()
    }
    switch state {
    case .running(let child, let since):
      if isReady { listener.onLoss() }
      end(child, since: since, isLast: false, then: halted)
      return true
    case .stopping(let child, let since, let isLast, let then):
      state = .stopping(
        child, since: since, isLast: isLast,
        then: {
          then()
          halted()
        })
      return true
    case .idle, .waiting, .givenUp, .ended:
      timer.stop()
      endHalt()
      return false
    }
  }

  private func endHalt() {
    replacement?.isHalted = true
    // The exit was asked for, or is one of the definition before: it is no trouble of this one.
    lastExit = nil
    isLossOpen = false
    if !isStopped { state = .idle }
    guard replacement?.isRunOutdated == true else { return }
    replacement?.isRunOutdated = false
    endRun(nil)
  }

  /// Takes over its new definition, once it has been halted.
  ///
  /// - Returns: whether it ran before, or was about to.
  func resume() -> Bool {
    guard let replacement else { return false }
    self.replacement = nil
    if let (declared, environment) = replacement.declared {
      self.declared = declared
      self.environment = environment
      restarts = Restarts(declared, limits, seed: seed)
    }
    return replacement.wasUp
  }

  // MARK: Its run (S32)

  /// Whether a run of its initializer waits until it is ready; not while the process before it is stopped, for a reload or for the run.
  var isStarting: Bool { starting != nil && replacement?.isRunOutdated != false && !isRestarting }

  /// Whether it is known when it is ready.
  var hasReadiness: Bool { declared.ready != nil }

  /// A run of its initializer, which ends when it is ready.
  struct Starting {
    /// How long the start may take.
    var timeout: Duration?
    /// Called after each try in vain: why it failed, and how many have.
    var onFailure: (String, Int) -> Void
    /// Called with the message and the new deadline, as a duration from now, that the process reports.
    var onReport: (String?, Duration?) -> Void
    /// Called once: with nil when it is ready, else with the reason why it won't be.
    var onEnd: (Cause?) -> Void
    /// How many tries have failed.
    var failed = 0
  }

  /// Begins a run: starts the process, unless it runs or waits for its restart, and finds out whether it is ready.
  ///
  /// If a run has completed with this start, the process is stopped first, and started again (S26); the time until it has stopped doesn't
  /// count for the run's timeout. If it has ended for good since it was ready, the run fails; the next one starts it again.
  func begin(_ run: Starting) {
    starting = run
    if replacement != nil {
      replacement?.isRunOutdated = false
      return
    }
    switch state {
    case .running(let child, let since) where isUsed:
      restarts.forgive()
      isRestarting = true
      logger.info("worker \(name) (pid \(child.pid)) is restarted: its initializer runs again")
      if let timeout = run.timeout { run.onReport(nil, grace + timeout) }
      end(child, since: since, isLast: false) { [unowned self] in restart() }
    case .running: beginProbe()
    case .waiting, .stopping: break
    case .ended where isLossOpen, .givenUp where isLossOpen: failRun()
    case .idle, .ended, .givenUp:
      restarts.forgive()
      start()
    }
  }

  /// Starts it again for a run, once it has exited, unless the run was cancelled or a reload halts the process.
  private func restart() {
    guard isRestarting, replacement == nil, !isLast, !isStopped else {
      isRestarting = false
      return endRun(nil)
    }
    isRestarting = false
    starting?.onReport(nil, starting?.timeout)
    start()
  }

  /// Cancels the run: the process is stopped, and `onEnd` is called when it has exited.
  func cancelRun() {
    guard starting != nil else { return }
    // A reload is about to halt the process, which isn't that of this run.
    if let replacement, !replacement.isRunOutdated { return endRun(nil) }
    switch state {
    case .running(let child, let since): end(child, since: since, isLast: false) { [unowned self] in endRun(nil) }
    case .waiting:
      timer.stop()
      state = .idle
      endRun(nil)
    case .idle, .givenUp, .ended: endRun(nil)
    case .stopping: isRestarting = false
    }
  }

  /// Completes the run, if there is one.
  private func completeRun() {
    guard starting != nil else { return }
    isUsed = true
    endRun(nil)
  }

  private func endRun(_ cause: Cause?) {
    let run = starting
    starting = nil
    run?.onEnd(cause)
  }

  private func failRun() {
    isLossOpen = false
    endRun(finalCause)
  }

  private func tried(_ failure: String) {
    guard var run = starting else { return }
    run.failed += 1
    starting = run
    run.onFailure(failure, run.failed)
  }

  /// Finds out whether it is ready.
  private func beginProbe() {
    if isReady { return completeRun() }
    guard case .probe(let target, let ofOwner)? = declared.ready, probe == nil else { return }
    let probe = ProbeRun(
      target, loop: loop, of: subject, isOwner: ofOwner,
      onFailure: { [unowned self] failure, _ in tried(failure) }, onComplete: { [unowned self] in becomeReady() })
    self.probe = probe
    probe.start()
  }

  private func becomeReady() {
    probe?.close()
    probe = nil
    isReady = true
    if case .running(let child, _) = state {
      logger.info("worker \(name) is ready", metadata: members(.processReady, child))
    }
    completeRun()
  }

  /// Handles a datagram of the process, or of one of its children.
  func handle(_ notification: StatusNotification) {
    guard case .running = state, !isReady else { return }
    if notification.message != nil || notification.extend != nil {
      starting?.onReport(notification.message, notification.extend)
    }
    if notification.isReady, declared.ready == .notification { becomeReady() }
  }

  /// The running process, for its probe.
  private var subject: ProbeRun.Subject {
    ProbeRun.Subject(
      stranger: { [unowned self] socket in
        guard case .running(let child, _) = state else { return nil }
        guard case .stranger(let owner) = SocketOwners.verdict(of: socket, belongsTo: child.pid) else { return nil }
        return "\(owner.map { "\($0)" } ?? "another process"), not by \(name)"
      }, execute: { [unowned self] in execute($0, then: $1) })
  }

  /// Executes a check in the environment and directory of the process.
  private func execute(_ arguments: [String], then: @escaping (Cause?) -> Void) -> () -> Void {
    var isWanted = true
    var pid: Int32 = 0
    do {
      let check = try ChildProcess(
        loop: loop, arguments: arguments, environment: environment, directory: command.directory,
        settings: command.settings, streams: try ChildStreams(loop: loop, output: .null, error: .null)
      ) { [weak self] status in
        self?.checks[pid] = nil
        if isWanted { then(status.isSuccess ? nil : Cause(status)) }
      }
      pid = check.pid
      checks[pid] = check
      return {
        isWanted = false
        check.kill()
      }
    } catch {
      then(.notFound(message: "\(error)"))
      return {}
    }
  }

  /// Ends the probe; the process doesn't count as ready any more.
  private func endProbe() {
    probe?.close()
    probe = nil
    isReady = false
  }

  /// Lets a run in flight go on if the process is restarted, and tells the machine if a process that was ready has ended.
  private func recordLoss(wasReady: Bool) {
    guard declared.ready != nil else { return }
    let isForGood =
      switch state {
      case .ended, .givenUp: true
      case .idle, .running, .waiting, .stopping: false
      }
    if starting != nil {
      if isForGood { failRun() } else { tried("its process ended: \(lastExit.map { "\($0)" } ?? "")") }
    } else if wasReady {
      isLossOpen = isForGood
      listener.onLoss()
    }
  }

  /// Returns the members of a log line.
  ///
  /// `since` says when the process was started, if it has ended.
  private func members(
    _ event: Logger.Metadata.EventName, _ child: ChildProcess? = nil, since: Duration? = nil
  ) -> Logger.Metadata {
    .event(
      event, process: name, run: RunID(starts), pid: child?.pid, duration: since.map { loop.now - $0 },
      cause: since == nil ? nil : lastExit)
  }
}

extension Restarts {
  fileprivate init(_ declared: DeclaredWorker, _ limits: Limits, seed: UInt64) {
    self.init(
      declared.restart, backoff: declared.backoff.corePolicy, burst: limits.workerBurst,
      settledAfter: limits.workerSettled, seed: seed)
  }
}

extension Cause {
  /// Describes how a process ended.
  init(_ status: ExitStatus) {
    switch status {
    case .exited(let status): self = .exit(status: status)
    case .signaled(let number): self = .signal(SignalName.of(number))
    case .unknown: self = .error(message: "\(status)")
    }
  }
}
