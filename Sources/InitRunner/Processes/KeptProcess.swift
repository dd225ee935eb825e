internal import AppInitializers
internal import EventLoop
internal import Glibc
internal import InitCore
internal import InitDeclarations
internal import InitJSON
internal import InitLog
internal import InitModel
internal import InitProcesses
internal import InitText
internal import InitTimeline
internal import InitWords
internal import Logging
internal import WireConversions

/// A process that the supervisor starts and restarts when it exits: a worker of the manifest.
///
/// ``ProcessLife`` decides; this object carries the decisions out. On the loop's thread.
package final class KeptProcess {
  /// The observer.
  struct Listener {
    /// The start with this number wrote a line.
    var onLine: (Int, OutputName, [UInt8]) -> Void
    /// Called when the shape has changed, other than in its uptime.
    var onChange: () -> Void
    /// The start with this number has ended, which is already logged.
    var onEnd: (Int, OutcomeName) -> Void
    /// Returns the variables of one start: the ports, its trace context, and the notification socket, if the process uses it to report that it is ready.
    var variablesOfStart: () throws -> [EnvironmentBlock.Variable]
    /// Returns the values that a start gets now.
    var values: () -> StartValues
    /// Called at the process's first start: returns its position among all processes.
    var onFirstStart: () -> Int
    /// The process was ready, and has ended.
    var onLoss: () -> Void
    /// The process is ready, and no run waits for that.
    var onReady: () -> Void
    /// Whether the process is healthy has changed.
    var onHealth: (Bool) -> Void
    /// Whether somebody answers in the place of a process that is run by hand has changed.
    var onExternal: (Bool) -> Void
    /// Returns whether launch is about to decide something above the process, which isn't started by itself until then.
    var isHeld: () -> Bool
    /// Called when the process has exited, so a reload can continue.
    var onHalt: () -> Void
    /// Called when the process has ended for the shutdown, which can continue.
    var onStop: () -> Void
  }

  /// A run of the process's initializer, which ends when the process is ready.
  struct Starting {
    /// How long the start may take.
    var timeout: Duration?
    /// Called after each failed try, with the reason and the number of failed tries.
    var onFailure: (String, Int) -> Void
    /// Called with the message and the new deadline, as a duration from now, that the process reports.
    var onReport: (String?, Duration?) -> Void
    /// Called once: with nil when it is ready, else with the reason why it won't be; and with the CPU time of the run, if it is known.
    var onEnd: (Cause?, Duration?) -> Void
    /// How many tries have failed.
    var failed = 0
  }

  let name: String
  /// Counts all processes that were ever kept.
  let number: Int
  private(set) var declared: DeclaredWorker
  private let shared: RunnerContext
  /// The environment that all starts share.
  private var environment: EnvironmentBlock
  /// The environment of the last start, for its checks, too.
  private var environmentOfStart: EnvironmentBlock?
  private var directoryOfStart: String?
  /// The outputs that the last start took, and those of them that have another value now.
  private var outputsOfStart: [String: RawJSON] = [:]
  private var earlierOutputs: [String] = []
  /// The initializers for which a start without a run waits.
  private var openDependencies: [String] = []
  private let seed: UInt64
  private let timer: EventLoop.Timer
  private let listener: Listener
  private var life: ProcessLife
  /// Whether the process's shape has changed and the listener hasn't been notified yet.
  private var isChanged = false
  /// The definition that the process gets when a reload resumes it; nil for its current one.
  private var next: (DeclaredWorker, EnvironmentBlock)?
  private var child: ChildProcess?
  private var pipes: [OutputPipe] = []
  /// Why this supervisor has killed the process; nil if it hasn't.
  private var killed: String?
  /// When the process is restarted; nil if no restart is scheduled.
  private var nextStart: Double?
  /// Who has stopped the process, and when; nil if nobody has.
  private var stopper: (user: String, time: Double)?
  /// The run of the process's initializer, until the process is ready.
  private var starting: Starting?
  /// Finds out whether the process is ready, while it runs and isn't ready.
  private var probe: ProbeRun?
  /// Checks the process after it is ready.
  private var watch: HealthWatch?
  /// Whether somebody runs the process by hand, instead of this supervisor (S39).
  private(set) var isExternal = false
  private var external: ExternalWatch?
  /// Since when the process is unhealthy, and why; nil if it isn't.
  private var illness: (since: Double, failure: String)?
  /// The commands that check whether the process is ready, by pid: the current one, and those that are killed.
  private var checks: [Int32: ChildProcess] = [:]
  /// The CPU time of the process, of its earlier starts, and of its checks.
  private var use = ProcessUse()
  /// The process's position in the order of first starts; nil before its first start.
  private(set) var order: Int?

  init(
    _ shared: RunnerContext, _ declared: DeclaredWorker, environment: EnvironmentBlock, number: Int, seed: UInt64,
    listener: Listener
  ) {
    self.shared = shared
    self.number = number
    name = declared.name
    self.declared = declared
    self.seed = seed
    life = ProcessLife(
      Restarts(declared, shared.settings.limits, seed: seed), grace: .zero,
      hasReadiness: declared.policy.ready != nil)
    timer = Timer(loop: shared.loop, name: "process \(declared.name)")
    self.environment = environment
    self.listener = listener
  }

  var shape: Status.Process {
    var shape = Status.Process(
      name: name, restarts: max(0, life.starts - 1 - life.requestedStarts), lastExit: life.lastExit)
    if let child {
      shape.pid = Int(child.pid)
      shape.uptime = (shared.loop.now - life.lifetime.started).inSeconds
    }
    switch life.state {
    case .waiting: shape.nextStart = nextStart
    case .givenUp: shape.givenUp = true
    case .idle, .running, .stopping, .ended: break
    }
    if child != nil, !earlierOutputs.isEmpty {
      shape.stale = true
      shape.earlierOutputs = earlierOutputs
    }
    if child == nil, isGated, stopper == nil, declared.exclusion == nil, !openDependencies.isEmpty {
      shape.waitsFor = openDependencies
    }
    if let illness {
      shape.unhealthy = true
      shape.unhealthySince = illness.since
      let failure = watch?.illness?.failure ?? ""
      shape.failure = failure.isEmpty ? illness.failure : failure
    }
    if isExternal {
      shape.external = true
      shape.answers = external?.isUp == true
    }
    shape.stoppedBy = stopper?.user
    shape.stoppedAt = stopper?.time
    shape.skipped = declared.exclusion.map { Initializer.Skip($0, nil) }
    return shape
  }

  /// See ``ProcessLife/standing``.
  var standing: ProcessStanding { life.standing }
  /// See ``ProcessLife/isGated``.
  var isGated: Bool { life.isGated }
  /// See ``ProcessLife/hasReadiness``.
  var hasReadiness: Bool { life.hasReadiness }
  /// See ``ProcessLife/isReady``.
  var isReady: Bool { life.isReady }
  /// See ``ProcessLife/isStarting``.
  var isStarting: Bool { life.isStarting }
  /// See ``ProcessLife/isStopped``.
  var isStopped: Bool { life.isStopped }
  /// See ``ProcessLife/isStoppedByPerson``.
  var isStoppedByPerson: Bool { life.isStoppedByPerson }
  /// Whether a start was ever tried.
  var hasBeenStarted: Bool { life.starts > 0 }
  /// Whether there is a process now.
  var isRunning: Bool { child != nil }
  /// The number of the start that runs; nil if none does.
  var currentStart: Int? { child == nil ? nil : life.starts }
  /// Whether outputs that it took have other values now (S35).
  var takesEarlierOutputs: Bool { child != nil && !earlierOutputs.isEmpty }
  /// Whether the process runs, and nobody has asked it to stop.
  var isUp: Bool { if case .running = life.state { true } else { false } }
  /// See ``ProcessLife/isHalting``.
  var isHalting: Bool { life.isHalting }

  /// Passes an event on, and carries out its effects.
  ///
  /// An effect that causes another event at once, such as a start, comes last.
  func apply(_ event: ProcessLife.Event) {
    let before = life.state
    life.grace = grace
    life.isHeld = life.mayBeHeld(at: event) && listener.isHeld()
    let effects = life.apply(event, at: shared.loop.now)
    if life.state != before { isChanged = true }
    for effect in effects { act(effect) }
    if let deadline = life.deadline {
      timer.start(at: deadline) { [weak self] in self?.apply(.timePassed) }
    } else {
      timer.stop()
    }
    watchHealth()
    watchExternal()
    tellChange()
  }

  private func tellChange() {
    guard isChanged else { return }
    isChanged = false
    listener.onChange()
  }

  private func act(_ effect: ProcessLife.Effect) {
    switch effect {
    case .start: start()
    case .signal: child?.end(by: declared.stopSignal, within: nil)
    case .kill: killLate()
    case .beginProbe: beginProbe()
    case .endProbe:
      probe?.close()
      probe = nil
    case .extendRun(let delay):
      if let run = starting, let timeout = run.timeout { run.onReport(nil, delay + timeout) }
    case .reportEnd: tried("its process ended: \(lastWords)")
    case .endRun(let cause):
      let run = starting
      starting = nil
      let isKnown = readUse()
      let used = use.endRun()
      run?.onEnd(cause, isKnown ? used : nil)
    case .reportLoss: listener.onLoss()
    case .reportReady: listener.onReady()
    case .announceRerun: shared.logger.info("process \(name) is restarted: its initializer runs again")
    case .announceRestart(let delay):
      nextStart = shared.time + delay.inSeconds
      shared.logger.info("process \(name) restarts in \(Phrases.duration(delay.inSeconds))")
    case .announceUnhealthyEnd:
      shared.logger.error(
        "process \(name) is given up: \(lastWords), and it is never restarted; start it with initctl start \(name)",
        metadata: members(.processGivenUp))
    case .announceSurrender(let ends):
      shared.logger.error(
        """
        process \(name) is given up: none of \(ends) starts in a row lasted \(shared.settings.limits.workerSettled.words), the last: \(lastWords); \
        see initctl logs \(name), fix it, and start it with initctl start \(name)
        """, metadata: members(.processGivenUp))
    case .continueReload:
      tellChange()
      listener.onHalt()
    case .continueShutdown:
      timer.close()
      tellChange()
      listener.onStop()
    }
  }

  private var lastWords: String { life.lastExit.map { "\($0)" } ?? "" }

  // MARK: The process

  private func start() {
    killed = nil
    let values = listener.values()
    do {
      let command = try values.command(command)
      // What is checked must be known before anything is started.
      if case .probe(let probe, _)? = declared.policy.ready { _ = try values.probe(probe) }
      if case .probe(let probe, _)? = declared.policy.healthy?.check { _ = try values.probe(probe) }
      let resolved = command.environment.filter { self.command.environment[$0.key] != $0.value }
      let variables =
        try resolved.map { ($0.key, $0.value) } + values.variables(of: declared.dependencies)
        + listener.variablesOfStart()
      let environment =
        declared.policy.watchdog == nil
        ? try EnvironmentBlock(environment, adding: variables)
        : try EnvironmentBlock(environment, adding: variables, ownPidIn: "WATCHDOG_PID")
      environmentOfStart = environment
      directoryOfStart = command.directory
      outputsOfStart = values.outputs
      earlierOutputs = []
      let streams = try ChildStreams(in: shared.children, output: .pipe, error: .pipe)
      let child = try ChildProcess(
        in: shared.children, arguments: command.arguments,
        environment: environment,
        directory: command.directory, settings: command.settings, streams: streams
      ) { [weak self] in self?.exited($0) }
      self.child = child
      shared.logger.info("process \(name) started, pid \(child.pid)", metadata: members(.processStarted))
      order = order ?? listener.onFirstStart()
      let start = life.starts
      let outputs = [(child.standardOutput, OutputName.stdout), (child.standardError, OutputName.stderr)]
      pipes = try outputs.compactMap { output, name in
        try output.map {
          try OutputPipe(loop: shared.loop, descriptor: $0, lineLimit: shared.settings.limits.logLineBytes) {
            [weak self] line in
            self?.wrote(line, name, ofStart: start)
          }
        }
      }
      apply(.started)
    } catch let cause as Cause {
      shared.logger.warning(
        "process \(name) isn't started: \(cause); once that is fixed, start it with initctl launch",
        metadata: members(.processEnded, endedBy: cause))
      apply(.refused(cause))
    } catch {
      let why = values.hidingSecrets(in: "\(error)")
      shared.logger.warning("process \(name): \(why)", metadata: members(.processEnded))
      if let child {
        killed = why
        child.kill()
      } else {
        apply(.exited(.notFound(message: why)))
      }
    }
  }

  private var command: Command { declared.command }

  /// How long the process may take to exit before SIGKILL.
  private var grace: Duration { declared.policy.stopTimeout ?? shared.settings.cancelGrace }

  private func exited(_ status: ExitStatus) {
    guard let child else { return }
    for pipe in pipes {
      pipe.drain()
      pipe.close()
    }
    pipes = []
    // The cause says that another process has killed it.
    let predicate = if case .signaled = status, killed == nil { "was \(Cause(status))" } else { status.predicate }
    let cause = killed.map { Cause.error(message: "killed with SIGKILL: \($0)") } ?? Cause(status)
    let wasAsked = life.state != .running
    if !wasAsked, let report = child.leftBehind.report(of: "process \(name)") {
      shared.logger.warning(
        "\(report)",
        metadata: .event(.leftBehind, process: name, run: RunID(life.starts), pids: child.leftBehind.map(\.pid)))
    }
    shared.logger.log(
      level: wasAsked || status.isSuccess ? .info : .warning, "process \(name) \(predicate)",
      metadata: members(.processEnded, endedBy: cause))
    if !wasAsked {
      listener.onEnd(life.starts, status.isSuccess && !isStarting ? .complete : .failed)
    } else if !isStarting {
      // If the process was starting, the end of its run says how it ended.
      listener.onEnd(life.starts, .cancelled)
    }
    use.end(child.cpuTime)
    self.child = nil
    // What has no `ready` is unhealthy until a check succeeds.
    if hasReadiness || stopper != nil { end(illness: illness) }
    apply(.exited(cause))
  }

  private func killLate() {
    guard let child else { return }
    let signal = SignalName.of(declared.stopSignal)
    let limit = declared.policy.stopTimeout == nil ? "cancelGrace" : "stopTimeout"
    let why = "it didn't exit within \(grace.words) of \(signal) (\(limit))"
    killed = why
    shared.logger.warning(
      "process \(name) (pid \(child.pid)) is killed with SIGKILL: \(why)", metadata: members(.killed))
    child.kill()
  }

  /// Ends the process at once.
  func kill() {
    guard let child else { return }
    killed = killed ?? "initd didn't wait for it"
    child.kill()
  }

  /// Closes the timer, because the process isn't kept any more.
  func close() {
    act(.endProbe)
    watch?.close()
    watch = nil
    external?.close()
    external = nil
    end(illness: illness)
    timer.close()
  }

  /// Records that somebody with this number waits for initializers (`initctl wait`).
  ///
  /// Returns whether the waiter belongs to this process, which then hasn't begun its work yet.
  ///
  /// `group` is the waiter's process group.
  func beginWait(_ waiter: Int, inGroup group: Int32) -> Bool {
    guard life.state == .running, child?.pid == group else { return false }
    life.beginWait(waiter, at: shared.loop.now)
    return true
  }

  /// Records that a wait is over.
  func endWait(_ waiter: Int) { life.endWait(waiter, at: shared.loop.now) }

  // MARK: A person's requests

  func stop(by user: String, isExternal: Bool = false) {
    if stopper == nil { stopper = (user, shared.time) }
    isChanged = true
    shared.logger.info("process \(name) is stopped by \(user)\(isExternal ? ", who runs it by hand" : "")")
    self.isExternal = isExternal
    apply(.stoppedByPerson)
  }

  /// Whether somebody answers in the place of the process.
  var isAnsweredByOther: Bool { external?.isUp == true }

  /// Begins or ends the checks of who answers in the place of the process: while it is run by hand, once our own one has exited.
  private func watchExternal() {
    guard isExternal, child == nil, case .probe(let written, _)? = declared.policy.ready else {
      external?.close()
      external = nil
      return
    }
    guard external == nil, let probe = try? listener.values().probe(written) else { return }
    let every = declared.policy.healthProbe?.probe.every ?? .seconds(1)
    let watch = ExternalWatch(probe, every: every, loop: shared.loop, of: subject) { [weak self] isUp in
      guard let self else { return }
      shared.logger.info(
        "\(isUp ? "somebody" : "nobody") answers in the place of process \(name), which is run by hand")
      isChanged = true
      listener.onExternal(isUp)
      tellChange()
    }
    external = watch
    watch.start()
  }

  /// Starts the process; unless `mayStart`, a run or its dependencies start it.
  func start(by user: String?, mayStart: Bool) {
    stopper = nil
    isExternal = false
    isChanged = true
    if let user { shared.logger.info("process \(name) is started by \(user)") }
    apply(.startedByPerson(mayStart: mayStart))
  }

  func restart(by user: String?) {
    if let user { shared.logger.info("process \(name) is restarted by \(user)") }
    apply(.restartedByPerson)
  }

  // MARK: CPU time

  /// The CPU time that the process has used outside of its starts, as far as it is known.
  var usedOutside: Duration {
    readUse()
    return use.outside
  }

  /// Reads the CPU time of the process that runs, if one runs.
  ///
  /// Returns false if it isn't known.
  @discardableResult
  private func readUse() -> Bool {
    guard let child else { return true }
    guard let total = child.cpuTime else { return false }
    use.read(total)
    return true
  }

  private func countCheck(_ pid: Int32) {
    if let used = checks.removeValue(forKey: pid)?.cpuTime { use.add(used) }
  }

  // MARK: Reloads (S27)

  /// Takes a definition whose work is the same: it holds from the next start or exit on.
  func adopt(_ declared: DeclaredWorker, environment: EnvironmentBlock) {
    guard !life.isResumable else {
      next = (declared, environment)
      return
    }
    let isOther = declared.restart != self.declared.restart || declared.pauses != self.declared.pauses
    let isChecked = probe != nil && declared.policy.ready != self.declared.policy.ready
    let isWatchedOtherwise =
      declared.policy.healthy != self.declared.policy.healthy
      || declared.policy.healthProbe?.probe != self.declared.policy.healthProbe?.probe
    take(declared, environment, isOther ? Restarts(declared, shared.settings.limits, seed: seed) : nil)
    if isWatchedOtherwise {
      watch?.close()
      watch = nil
      end(illness: illness)
      watchHealth()
      tellChange()
    }
    if isExternal {
      external?.close()
      external = nil
      watchExternal()
    }
    if isChecked {
      probe?.close()
      probe = nil
      beginProbe()
    }
  }

  /// Prepares the process to be halted by a reload: from now on it isn't started, and a run waits, until it is resumed or removed.
  ///
  /// `declared` is the definition that the process is resumed with; nil for its current one.
  func prepareToHalt(adopting declared: (DeclaredWorker, EnvironmentBlock)? = nil) {
    next = declared ?? next
    apply(.haltPrepared)
  }

  /// Takes over the process's new definition, once it has been halted.
  func takeOver() {
    guard let (declared, environment) = next else { return }
    next = nil
    take(declared, environment, Restarts(declared, shared.settings.limits, seed: seed))
  }

  private func take(_ declared: DeclaredWorker, _ environment: EnvironmentBlock, _ restarts: Restarts?) {
    self.declared = declared
    self.environment = environment
    life.adopt(restarts, hasReadiness: declared.policy.ready != nil)
  }

  // MARK: Values (S35)

  /// Records for which initializers the start waits.
  func note(openDependencies names: [String]) {
    guard names != openDependencies else { return }
    openDependencies = names
    isChanged = true
    tellChange()
  }

  /// Compares the outputs that the last start took with those of now.
  func compareOutputs() {
    guard child != nil else { return }
    let now = listener.values().outputs
    let earlier = Set(outputsOfStart.keys).union(now.keys).filter { outputsOfStart[$0] != now[$0] }.sorted()
    guard earlier != earlierOutputs else { return }
    earlierOutputs = earlier
    isChanged = true
    tellChange()
  }

  /// Whether the process runs, is ready, and has taken outputs that are the same now.
  var hasCurrentOutputs: Bool {
    guard child != nil, isReady, !outputsOfStart.isEmpty else { return false }
    return listener.values().outputs == outputsOfStart
  }

  // MARK: Its run (S32)

  func begin(_ run: Starting) {
    starting = run
    readUse()
    use.beginRun()
    apply(.runBegan)
  }

  private func tried(_ failure: String) {
    guard var run = starting else { return }
    run.failed += 1
    starting = run
    run.onFailure(failure, run.failed)
  }

  /// Handles a line of a start's output, which may say that the process is ready.
  private func wrote(_ line: [UInt8], _ stream: OutputName, ofStart start: Int) {
    listener.onLine(start, stream, line)
    guard case .line(let text)? = declared.policy.ready, life.state == .running, life.starts == start, !isReady,
      line.withoutColours.holds(text)
    else { return }
    becomeReady()
  }

  private func beginProbe() {
    if declared.policy.ready == .started { return becomeReady() }
    if case .line(let text)? = declared.policy.ready { starting?.onReport("no line with \"\(text)\" so far", nil) }
    guard case .probe(let written, let ofOwner)? = declared.policy.ready, probe == nil else { return }
    let target: Probe
    do { target = try listener.values().probe(written) } catch { return tried("\(error)") }
    let probe = ProbeRun(
      target, loop: shared.loop, of: subject, isOwner: ofOwner,
      onFailure: { [unowned self] failure, _ in tried(failure) }, onComplete: { [unowned self] in becomeReady() })
    self.probe = probe
    probe.start()
  }

  private func becomeReady() {
    shared.logger.info("process \(name) is ready", metadata: members(.processReady))
    apply(.becameReady)
  }

  /// Handles a datagram of the process, or of one of its children.
  func handle(_ notification: StatusNotification) {
    if notification.isAlive { watch?.reported() }
    guard life.state == .running, !isReady else { return }
    if notification.message != nil || notification.extend != nil {
      starting?.onReport(notification.message, notification.extend)
    }
    if notification.isReady, declared.policy.ready == .notification { becomeReady() }
  }

  // MARK: Health (S38)

  /// Begins or ends the checks: a process is checked while it runs and is ready, or has no `ready`.
  private func watchHealth() {
    let isDue = child != nil && life.state == .running && (isReady || !hasReadiness)
    guard let policy = declared.policy.healthy, isDue else {
      watch?.close()
      watch = nil
      return
    }
    guard watch == nil else { return }
    var probe: Probe?
    let target = declared.policy.healthProbe
    if let written = target?.probe {
      do { probe = try listener.values().probe(written) } catch {
        shared.logger.warning("process \(name) isn't checked: \(error); the next start checks it, if that is fixed")
        return
      }
    }
    let isOwner = target?.ofOwner == true
    let watch = HealthWatch(
      policy, probe: probe, isOwner: isOwner, isIll: illness != nil, loop: shared.loop, of: subject
    ) {
      [weak self] change in
      self?.healthChanged(change)
    }
    self.watch = watch
    watch.start()
  }

  private func healthChanged(_ change: Health.Change) {
    switch change {
    case .none: break
    case .recovered:
      shared.logger.info("process \(name) is healthy again")
      end(illness: illness)
    case .becameUnhealthy:
      guard let failure = watch?.illness?.failure, let policy = declared.policy.healthy else { return }
      illness = (illness?.since ?? shared.time, failure)
      isChanged = true
      let isRestarted = policy.onFailure == .restart
      shared.logger.warning("process \(name) is unhealthy: \(failure)\(isRestarted ? "; it is stopped" : "")")
      listener.onHealth(false)
      if isRestarted { apply(.becameUnhealthy(.error(message: "unhealthy: \(failure)"))) }
    }
    tellChange()
  }

  private func end(illness: (since: Double, failure: String)?) {
    guard illness != nil else { return }
    self.illness = nil
    isChanged = true
    listener.onHealth(true)
  }

  /// The running process, for its probe.
  private var subject: ProbeRun.Subject {
    ProbeRun.Subject(
      stranger: { [unowned self] socket in
        guard life.state == .running, let child else { return nil }
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
        in: shared.children, arguments: arguments, environment: environmentOfStart ?? environment,
        directory: directoryOfStart, settings: command.settings,
        streams: try ChildStreams(in: shared.children, output: .null, error: .null)
      ) { [weak self] status in
        self?.countCheck(pid)
        if isWanted { then(status.isSuccess ? nil : Cause(status)) }
      }
      pid = check.pid
      checks[pid] = check
      return {
        isWanted = false
        check.kill()
      }
    } catch {
      then(.notFound(message: listener.values().hidingSecrets(in: "\(error)")))
      return {}
    }
  }

  /// Returns the members of a log line; `cause` says how the process ended, if it has.
  private func members(_ event: Logger.Metadata.EventName, endedBy cause: Cause? = nil) -> Logger.Metadata {
    .event(
      event, process: name, run: RunID(life.starts), pid: child?.pid,
      duration: cause == nil ? nil : shared.loop.now - life.lifetime.started, cause: cause)
  }
}

extension Restarts {
  fileprivate init(_ declared: DeclaredWorker, _ limits: RunLimits, seed: UInt64) {
    self.init(
      declared.restart, backoff: declared.pauses, burst: limits.workerBurst,
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

extension DeclaredWorker {
  /// The number of the signal that asks the process to end.
  fileprivate var stopSignal: Int32 { SignalName.number(of: policy.stopSignal) ?? SIGTERM }
}
