internal import AppInitializers
internal import EventLoop
internal import Glibc
internal import InitCore
package import InitDeclarations
internal import InitLog
package import InitModel
internal import InitProcesses
internal import InitText
internal import InitWire
package import InitWords
internal import Logging
package import Platform

/// The manifest's workers, which are restarted when they exit, and orphaned grandchildren.
package final class Processes {
  /// Called when one of the manifest's workers has changed.
  package var onChange: (Status.Process) -> Void = { _ in }
  /// Called when the worker has ended that was stopped last.
  package var onStop: () -> Void = {}

  let shared: RunnerContext
  private let notifySockets: NotifySockets
  /// In the order of the manifest.
  private var kept: [KeptProcess] = []
  /// The same, by their names.
  private(set) var named: [String: KeptProcess] = [:]
  /// How many were ever kept.
  private var created = 0
  /// The CPU time that removed ones used outside of their starts.
  private var usedByRemoved = Duration.zero
  /// How many were started.
  private var started = 0
  /// The last run of each.
  private var runs: [String: RunStart] = [:]
  /// What the machine knows of each.
  private var standings: [String: ProcessStanding] = [:]
  /// Whether an initializer may be fresh, so launch may have to decide something above a process.
  private var mayHold = false
  /// The initializer above each process that isn't started because of it, as it was logged.
  private var blocked: [String: String] = [:]
  /// Whether a process may wait until launch has decided something above it.
  private var isSomeHeld = false
  /// The processes without `ready` that are restarted at the end of a pass.
  var afterPass: [String: NeedOfRestart] = [:]
  /// What a reload still does, by the names of processes.
  private var due: [String: Due] = [:]
  /// The requests that wait until processes have stopped.
  package var stopCount: Int { stops.count }
  var stops: [PendingStop] = []
  private var orphans: Orphans?
  /// The workers in which somebody waits, by their numbers.
  private var waiting: [Int: KeptProcess] = [:]
  /// When and why the guard was lost, for the Status.
  package private(set) var guardLoss: String?
  private var guardLosses = 0

  /// `directory` is the directory for notification sockets.
  init(_ shared: RunnerContext, directory: PrivateDirectory) {
    self.shared = shared
    notifySockets = NotifySockets(loop: shared.loop, in: directory, prefix: "process-")
  }

  /// Whether a process is restarted once what it depends on has run again.
  enum NeedOfRestart {
    case always
    /// If it takes other outputs than at its start (S35).
    case ifOutputsDiffer
  }

  /// What a reload does with a process.
  private enum Due {
    /// Stop the process, and remove it.
    case removal
    /// Stop the process if it runs, and start it.
    case start
  }

  /// The shapes of the manifest's workers.
  package var shapes: [Status.Process] { kept.map(\.shape) }

  /// The CPU time that the processes have used outside of their starts, as far as it is known.
  package var usedOutsideOfStarts: Duration { kept.reduce(usedByRemoved) { $0 + $1.usedOutside } }

  /// The names of the processes that run.
  package var namesRunning: [String] { kept.filter(\.isRunning).map(\.name) }

  /// Whether a kept process runs.
  var areRunning: Bool { kept.contains(where: \.isRunning) }

  /// Starts the manifest's workers, in order.
  ///
  /// First starts to adopt orphans, if the configuration says so.
  func start() {
    if shared.settings.adoptsOrphans {
      do { orphans = try Orphans(of: shared.children) } catch { shared.logger.warning("cannot reap orphans: \(error)") }
    }
    noteFreshness()
    for declared in shared.settings.processes { _ = add(declared) }
    startGated()
  }

  private func noteFreshness() {
    mayHold = shared.settings.initializers.contains { $0.declaration.freshness != nil }
  }

  private func add(_ declared: DeclaredWorker) -> KeptProcess? {
    guard let environment = environment(of: declared) else { return nil }
    created += 1
    let process = KeptProcess(
      shared, declared, environment: environment, number: created,
      seed: shared.settings.seed &+ UInt64(created - 1), listener: listener(of: declared.name))
    kept.append(process)
    named[declared.name] = process
    return process
  }

  /// Returns the variables that the next start of a process would get, without its notification socket.
  ///
  /// - Throws: the cause, if no variable can hold an output of a dependency.
  package func variables(of declared: DeclaredWorker) throws(Cause) -> [String: String] {
    let values = values(of: declared)
    var variables = commonVariables(of: declared)
    for (name, value) in declared.command.environment where ValueReference.mayBe(in: value) {
      variables[name] = try? values.text(value)
    }
    for (name, value) in try values.variables(of: declared.dependencies) + shared.ports.variables {
      variables[name] = value
    }
    if declared.policy.ready == nil {
      variables[TraceContext.variable] = shared.trace(nil, named[declared.name]?.number ?? 0)
    }
    return variables
  }

  /// Returns the directory of the next start of a process; nil for that of the supervisor.
  ///
  /// - Throws: the cause, if a value in it isn't there.
  package func directory(of declared: DeclaredWorker) throws(Cause) -> String? {
    try values(of: declared).command(declared.command).directory
  }

  /// Returns the values that a start of the process gets now.
  private func values(of declared: DeclaredWorker) -> StartValues {
    shared.lastValues(of: declared.dependencies, declared.references, for: declared.name)
  }

  /// Returns the variables that all starts of a process share.
  private func commonVariables(of declared: DeclaredWorker) -> [String: String] {
    CommandEnvironment.process(
      CommandEnvironment.common(shared.settings.environment.merging(declared.command.environment) { $1 }),
      socketPath: shared.settings.socketPath)
  }

  private func environment(of declared: DeclaredWorker) -> EnvironmentBlock? {
    do throws(SpawnError) {
      return try EnvironmentBlock(commonVariables(of: declared))
    } catch {
      shared.logger.error("process \(declared.name): \(error)")
      return nil
    }
  }

  /// Starts the processes that have waited for initializers, and whose dependencies are complete, in the manifest's order.
  private func startGated() {
    for process in kept where process.isGated && process.declared.exclusion == nil {
      process.note(openDependencies: process.declared.dependencies.filter { !isComplete($0) })
      if areDependenciesComplete(of: process) { process.apply(.dependenciesCompleted) } else { logBlocked(process) }
    }
  }

  func areDependenciesComplete(of process: KeptProcess) -> Bool {
    process.declared.dependencies.allSatisfy(isComplete) && decision(on: process.declared.dependencies) == .made
  }

  /// Logs that a process isn't started because an initializer above its dependencies has failed: once for the same initializer.
  private func logBlocked(_ process: KeptProcess) {
    let dependencies = process.declared.dependencies
    guard dependencies.allSatisfy(isComplete), case .failed(let name) = decision(on: dependencies),
      blocked.updateValue(name, forKey: process.name) != name
    else { return }
    shared.logger.warning(
      "process \(process.name) isn't started: \(name), above its dependencies, hasn't completed; fix it, then retry with initctl launch, or initctl rerun \(name)"
    )
  }

  /// Returns whether launch has decided everything above a process that may be fresh (S30).
  ///
  /// If it hasn't, the processes are looked at again once it has.
  private func decision(on dependencies: [String]) -> Machine.Decision {
    guard mayHold, !dependencies.isEmpty else { return .made }
    let decision = shared.manager.read { $0.decision(on: dependencies) }
    if decision != .made { isSomeHeld = true }
    return decision
  }

  private func isComplete(_ initializer: String) -> Bool {
    let status = shared.manager.read { $0.initializer(named: initializer)?.status }
    return status == .complete || status == .skipped
  }

  /// Handles that an initializer was decided, or that a pass has ended: processes may have waited for that (S30).
  ///
  /// This is called in a step of the machine.
  package func recordDecision() {
    guard isSomeHeld else { return }
    isSomeHeld = false
    shared.loop.later { [weak self] in
      guard let self else { return }
      startGated()
      for process in kept where !process.isRunning { process.apply(.timePassed) }
    }
  }

  /// Handles a completed or skipped initializer: processes may have waited for it.
  ///
  /// This is called in a step of the machine.
  package func recordCompletion(of name: String) {
    if kept.contains(where: { $0.isGated && $0.declared.dependencies.contains(name) }) {
      shared.loop.later { [weak self] in self?.startGated() }
    }
    let takers = kept.filter { process in
      process.isRunning
        && (process.declared.dependencies.contains(name)
          || process.declared.references.contains { $0.initializer == name })
    }
    if !takers.isEmpty { shared.loop.later { for process in takers { process.compareOutputs() } } }
    // The process may have ended before the machine knew that it was ready.
    if let process = named[name], process.hasReadiness, !process.isReady, !process.isExternal { reportLoss(of: name) }
  }

  /// Tells the machine that a process that was ready has ended (S32).
  private func reportLoss(of name: String) {
    shared.loop.later { [shared] in try? shared.manager.apply(.processEnded(name)) }
  }

  /// Starts a process, and waits until it is ready (S32).
  ///
  /// `isolation` is that of the loop. Throws an error that says why the process has ended permanently.
  func run(_ context: RunContext, on isolation: isolated LoopActor) async throws {
    try Task.checkCancellation()
    let name = context.initializer
    let run = context.start.run
    guard let process = named[name] else { throw Cause.notFound(message: "the process \(name) can't be started") }
    // Because of a dependency, the process is restarted only if it takes another value from it (S35).
    if context.start.request != .ofItself, process.hasCurrentOutputs {
      process.compareOutputs()
      return
    }
    let runner = shared.runner
    let cause = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Cause?, Never>) in
        runs[name] = context.start
        process.begin(
          KeptProcess.Starting(
            timeout: context.start.timeout,
            onFailure: { failure, count in
              context.manager?.assumeIsolated { $0.report(run: run, failure: failure, tries: count) }
            },
            onReport: { message, extend in
              context.manager?.assumeIsolated {
                $0.report(run: run, fraction: nil, message: message, extend: extend)
              }
            },
            onEnd: { [shared] cause, used in
              if let used { shared.reports.used(cpu: used, by: run) }
              continuation.resume(returning: cause)
            }))
      }
    } onCancel: {
      runner.perform { $0.processes.cancel(run, of: name) }
    }
    if let cause { throw cause }
    try Task.checkCancellation()
  }

  private func cancel(_ run: RunID, of name: String) {
    guard runs[name]?.run == run else { return }
    named[name]?.apply(shared.manager.read { $0.stopReason(of: run) } == .timeout ? .runTimedOut : .runCancelled)
  }

  // MARK: Reloads (S27)

  /// Applies a reload: stops removed processes and processes with other work, in the reverse order of their starts; then starts new
  /// processes and those with other work, in the manifest's order.
  ///
  /// Processes with `ready` are started by their runs; a process that ran before is started at once if its next run has to wait for another
  /// pass.
  package func reload(removed: [String], changed: Set<String>, restarted: Set<String>) {
    noteFreshness()
    guard !removed.isEmpty || !changed.isEmpty else { return }
    for name in removed {
      due[name] = .removal
      named[name]?.prepareToHalt()
    }
    for declared in shared.settings.processes where changed.contains(declared.name) {
      // A process that an earlier reload removes may still exist.
      if let process = named[declared.name] {
        guard let environment = environment(of: declared) else { continue }
        if restarted.contains(declared.name) {
          process.prepareToHalt(adopting: (declared, environment))
        } else {
          process.adopt(declared, environment: environment)
        }
      } else if let added = add(declared) {
        added.prepareToHalt()
      } else {
        continue
      }
      if restarted.contains(declared.name) { due[declared.name] = .start }
    }
    continueReload()
  }

  /// Stops the next process that must be stopped; starts the others when there is none.
  private func continueReload() {
    guard !shared.manager.isEnding, !due.isEmpty, !kept.contains(where: \.isHalting) else { return }
    for process in kept.sorted(by: { $0.order ?? 0 > $1.order ?? 0 }) where due[process.name] != nil {
      process.apply(.haltRequested)
      if process.isHalting { return }
    }
    let plan = due
    due = [:]
    for process in kept where plan[process.name] == .removal { remove(process) }
    kept.removeAll { plan[$0.name] == .removal }
    sort()
    for process in kept where plan[process.name] == .start { resume(process) }
    startGated()
  }

  /// Sorts the processes in the order of the manifest.
  private func sort() {
    let indexes = Dictionary(shared.settings.processes.enumerated().map { ($1.name, $0) }) { first, _ in first }
    kept.sort { indexes[$0.name, default: 0] < indexes[$1.name, default: 0] }
  }

  private func remove(_ process: KeptProcess) {
    let shape = process.shape
    if process.isStoppedByPerson { try? shared.manager.apply(.processStarted(process.name)) }
    waiting = waiting.filter { $0.value !== process }
    if let used = notifySockets.end(run: process.number) { notifySockets.reclaim(used, mayBeLent: false) }
    named[process.name] = nil
    runs[process.name] = nil
    standings[process.name] = nil
    usedByRemoved += process.usedOutside
    process.close()
    shared.reports.removed(shape)
  }

  /// Starts a process that a reload has halted or added, unless a run will start it.
  private func resume(_ process: KeptProcess) {
    process.takeOver()
    let name = process.name
    let initializer = shared.manager.read { $0.initializer(named: name) }
    // What an operator has cancelled starts only when somebody requests it.
    let isCancelled = if case .initializerFailed(_, .operator)? = initializer?.failure { true } else { false }
    process.apply(.resumed(mayStart: !isCancelled && mayStart(process)))
  }

  /// Whether a process with `ready` may be started without a run: its next run follows in a pass after the pass in flight, or after the next
  /// request.
  func mayStart(_ process: KeptProcess) -> Bool {
    let name = process.name
    let isBetweenRuns =
      switch shared.manager.read({ $0.initializer(named: name)?.status }) {
      case .idle, .complete, .cancelled, .notRun, .failed: true
      case .waiting, .running, .stopping, .skipped: false
      case nil: !process.hasReadiness
      }
    return isBetweenRuns && areDependenciesComplete(of: process)
  }

  private func listener(of name: String) -> KeptProcess.Listener {
    KeptProcess.Listener(
      onLine: { [weak self, shared] start, stream, line in
        shared.reports.wrote(
          line, of: name, run: start, attempt: nil, pass: self?.pass(of: name), stream,
          isShown: self?.named[name]?.declared.command.settings.showsOutput == true,
          .event(.output, process: name, run: RunID(start)))
      },
      onChange: { [weak self] in
        guard let self, let process = named[name] else { return }
        shared.reports.changed(process.shape)
        let standing = process.standing
        if standings.updateValue(standing, forKey: name) ?? .idle != standing {
          try? shared.manager.apply(.processChanged(name, standing))
        }
        answerStops()
        onChange(process.shape)
      },
      onEnd: { [shared] start, end in shared.reports.ended(process: name, start: start, end) },
      variablesOfStart: { [weak self, shared] in
        guard let self, let process = named[name] else { return [] }
        var variables = shared.ports.variables
        if let trace = shared.trace(process.isStarting ? runs[name] : nil, process.number) {
          variables.append((TraceContext.variable, trace))
        }
        if let span = process.declared.policy.watchdog {
          variables.append(
            (
              "WATCHDOG_USEC",
              "\(span.components.seconds * 1_000_000 + span.components.attoseconds / 1_000_000_000_000)"
            ))
        }
        if process.declared.policy.ready == .notification || process.declared.policy.watchdog != nil {
          variables.append(("NOTIFY_SOCKET", try notifySocket(of: process)))
        }
        return variables
      },
      values: { [weak self, shared] in
        guard let self, let process = named[name] else { return shared.values([:], for: name) }
        return values(of: process.declared)
      },
      onFirstStart: { [weak self] in
        self?.started += 1
        return self?.started ?? 0
      },
      onLoss: { [weak self] in self?.reportLoss(of: name) },
      onReady: { [shared] in shared.loop.later { try? shared.manager.apply(.processReady(name)) } },
      onHealth: { [shared] isHealthy in
        shared.loop.later { try? shared.manager.apply(.processHealthChanged(name, isHealthy: isHealthy)) }
      },
      onExternal: { [shared] isUp in
        shared.loop.later { try? shared.manager.apply(.processAnswered(name, isUp: isUp)) }
      },
      isHeld: { [weak self] in
        guard let self, let process = named[name] else { return false }
        return decision(on: process.declared.dependencies) == .open
      },
      onHalt: { [weak self] in self?.continueReload() },
      onStop: { [weak self] in self?.onStop() })
  }

  /// Returns the pass in which a process is starting; nil if it isn't.
  private func pass(of name: String) -> PassID? {
    named[name]?.isStarting == true ? runs[name]?.pass : nil
  }

  /// Returns the path of the notification socket for the next start of a process.
  private func notifySocket(of process: KeptProcess) throws -> String {
    if let used = notifySockets.end(run: process.number) { notifySockets.reclaim(used, mayBeLent: false) }
    // An unknown user is reported when the process is started.
    let user = process.declared.command.settings.user.flatMap { try? Accounts.find($0) }
    return try notifySockets.lend(run: process.number, to: user) { [weak process] in
      process?.handle(StatusNotification($0))
    }
  }

  /// Starts workers that wait for their restart or were given up, because a request may need them.
  package func startNow() {
    let needed = neededProcesses
    for process in kept where !process.isRunning {
      process.apply(.requested(isNeeded: needed.contains(process.name)))
    }
  }

  /// The names of the processes that initializers wait for, or will when they run again.
  private var neededProcesses: Set<String> {
    guard shared.settings.initializers.contains(where: { $0.declaration.process != nil }) else { return [] }
    return shared.manager.read { machine in
      let needed = machine.initializers.lazy.filter { each in
        !each.isAvailable && each.status != .skipped
          && (each.status != .complete || each.declaration.priority == .appActive)
      }
      return Set(needed.compactMap(\.declaration.process))
    }
  }

  /// Records that somebody with this number waits for initializers, in the process `pid`.
  ///
  /// If that is in one of the manifest's workers, that worker hasn't begun its work yet.
  package func beginWait(_ waiter: Int, pid: Int32) {
    guard !kept.isEmpty, waiting[waiter] == nil else { return }
    let group = getpgid(pid)
    waiting[waiter] = kept.first { $0.beginWait(waiter, inGroup: group) }
  }

  /// Records that nobody with this number waits any more.
  package func endWait(_ waiter: Int) {
    if !waiting.isEmpty { waiting.removeValue(forKey: waiter)?.endWait(waiter) }
  }

  /// Ensures that grandchildren end with the supervisor, even if it is killed.
  ///
  /// - Parameter lock: the lock of the socket's path; the guard holds it until the grandchildren have ended, so no other supervisor starts
  ///   before.
  package func guardChildren(lock: Descriptor?) {
    guard shared.settings.adoptsOrphans else { return }
    do {
      try shared.children.startGuard(grace: shared.settings.cancelGrace, lock: lock) { [weak self] in self?.lost($0) }
    } catch {
      shared.logger.warning(
        "cannot start the guard: \(error); if initd is killed, child processes of commands may keep running")
    }
  }

  /// Ends the guard, which then releases the lock.
  package func endGuard() { shared.children.endGuard() }

  private func lost(_ loss: GuardLoss) {
    let moment = MomentText.print(shared.time)
    let why = "\(Cause(loss.status))"
    switch loss.replacement {
    case .success(let pid):
      guardLosses += 1
      let times = guardLosses == 1 ? "" : " (\(guardLosses) times so far)"
      guardLoss = "the guard was lost and replaced at \(moment)\(times): \(why)"
      shared.logger.warning("the guard was lost: \(why); a new one was started, pid \(pid)")
    case .failure(let error):
      let danger = "if initd is killed, child processes of commands may keep running"
      guardLoss = "the guard was lost at \(moment), and can't be replaced: \(error); \(danger)"
      shared.logger.error("the guard was lost: \(why); it can't be replaced: \(error); \(danger)")
    }
  }

  /// Makes the ends of the manifest's workers final: they aren't restarted any more.
  package func restartNone() {
    for process in kept { process.apply(.restartsEnded) }
  }

  /// Whether all of the manifest's workers were stopped and have exited.
  package var areStopped: Bool { kept.allSatisfy(\.isStopped) }

  /// Stops the processes on which nothing depends that still runs; called again when one of them has stopped (S24).
  package func stopNext() {
    let running = kept.filter { !$0.isStopped }
    let needed = StopOrder(shared.settings).needed(by: running.map(\.name))
    for process in running where !needed.contains(process.name) && !process.isStopped { process.apply(.stopRequested) }
  }

  /// Whether orphans are adopted.
  package var adoptsOrphans: Bool { orphans != nil }

  /// Ends orphaned processes, and stops adopting orphans.
  package func endOrphans(then action: @escaping () -> Void) {
    guard let orphans else { return action() }
    let left = orphans.processes
    if !left.isEmpty {
      shared.logger.info(
        "commands left processes running, which are terminated now: \(left.list)",
        metadata: .event(.leftBehind, pids: left.map(\.pid)))
    }
    let grace = shared.settings.cancelGrace
    orphans.end(within: grace) { [shared] left in
      guard !left.isEmpty else { return }
      shared.logger.warning(
        "\(left.list) \(left.count == 1 ? "is" : "are") killed with SIGKILL: no exit within \(grace.words) of SIGTERM (cancelGrace)",
        metadata: .event(.killed, pids: left.map(\.pid)))
    } then: { [weak self] in
      self?.close()
      action()
    }
  }

  /// Kills all kept processes.
  package func kill() {
    for process in kept { process.kill() }
    orphans?.killAll()
  }

  /// Stops adopting orphans.
  package func close() {
    notifySockets.close()
    orphans?.close()
    orphans = nil
  }
}
