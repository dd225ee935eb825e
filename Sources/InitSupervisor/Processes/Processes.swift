internal import EventLoop
internal import Glibc
internal import InitCore
internal import InitText
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

/// The manifest's workers, which are restarted when they exit, and orphaned grandchildren.
final class Processes: Component {
  /// Called when one of the manifest's workers has changed.
  var onChange: () -> Void = {}

  let shared: Shared
  private let broadcast: Broadcast
  private let log: SupervisorLog
  /// In the order of their starts.
  private var kept: [KeptProcess] = []
  private var orphans: Orphans?
  /// The workers in which a client waits, by the client's number.
  private var waiting: [Int: KeptProcess] = [:]
  /// When and why the guard was lost, for the Status.
  private(set) var guardLoss: String?
  private var guardLosses = 0

  init(_ shared: Shared, broadcast: Broadcast, log: SupervisorLog) {
    (self.shared, self.broadcast, self.log) = (shared, broadcast, log)
  }

  /// The shapes of the manifest's workers.
  var shapes: [ProcessShape] { kept.map(\.shape) }

  /// Whether one of them runs.
  var areRunning: Bool { kept.contains(where: \.isRunning) }

  /// Starts the manifest's workers, in order.
  ///
  /// If the configuration says so, orphans are adopted from now on.
  func start() {
    if configuration.adoptsOrphans {
      do { orphans = try Orphans(loop: loop) } catch { logger.warning("cannot reap orphans: \(error)") }
    }
    for (index, declared) in configuration.workers.enumerated() {
      do {
        let variables = configuration.environment.merging(declared.command.environment) { $1 }
        let environment = try CommandEnvironment.process(
          CommandEnvironment.common(variables), socketPath: configuration.socketPath)
        let process = KeptProcess(
          shared, declared, environment: environment, seed: configuration.machine.seed &+ UInt64(index),
          listener: listener(of: declared.name))
        kept.append(process)
        process.start()
      } catch {
        logger.error("worker \(declared.name): \(error)")
      }
    }
  }

  private func listener(of name: String) -> KeptProcess.Listener {
    KeptProcess.Listener(
      onLine: { [log] start, stream, line in
        log.keep(line, of: name, run: start, stream, .event(.output, process: name, run: RunID(start)))
      },
      onChange: { [weak self] in
        guard let self, let process = kept.first(where: { $0.name == name }) else { return }
        broadcast.publish(.process(process.shape), topics: [.worker])
        onChange()
      },
      onEnd: { [log] start, end in log.recordEnd(ofProcess: name, start: start, end) })
  }

  /// Starts workers that wait for their restart or were given up, because a client's request may need them.
  func startNow() {
    for process in kept { process.startNow() }
  }

  /// Notes that a client waits for initializers.
  ///
  /// If it is `initctl` in one of the manifest's workers, that worker isn't at work yet.
  func beginWait(_ session: Session) {
    guard !kept.isEmpty, session.name == "initctl", waiting[session.id] == nil, let pid = session.peer.pid else {
      return
    }
    let group = getpgid(pid)
    waiting[session.id] = kept.first { $0.beginWait(session.id, inGroup: group) }
  }

  /// Notes that a client doesn't wait any more.
  func endWait(_ client: Int) {
    if !waiting.isEmpty { waiting.removeValue(forKey: client)?.endWait(client) }
  }

  /// Ensures that grandchildren end with the supervisor, even if it is killed.
  ///
  /// - Parameter lock: the lock of the socket's path; the guard holds it until the grandchildren have ended, so no other supervisor starts
  ///   before.
  func guardChildren(lock: Descriptor?) {
    guard configuration.adoptsOrphans else { return }
    do {
      try loop.guardChildren(grace: configuration.machine.cancelGrace, lock: lock) { [weak self] in self?.lost($0) }
    } catch {
      logger.warning(
        "cannot start the guard: \(error); if initd is killed, child processes of commands may keep running")
    }
  }

  private func lost(_ loss: GuardLoss) {
    let (moment, why) = (MomentText.print(shared.time), "\(Cause(loss.status))")
    switch loss.replacement {
    case .success(let pid):
      guardLosses += 1
      let times = guardLosses == 1 ? "" : " (\(guardLosses) times so far)"
      guardLoss = "the guard was lost and replaced at \(moment)\(times): \(why)"
      logger.warning("the guard was lost: \(why); a new one was started, pid \(pid)")
    case .failure(let error):
      let danger = "if initd is killed, child processes of commands may keep running"
      guardLoss = "the guard was lost at \(moment), and can't be replaced: \(error); \(danger)"
      logger.error("the guard was lost: \(why); it can't be replaced: \(error); \(danger)")
    }
  }

  /// Makes the ends of the manifest's workers final: they aren't restarted any more.
  func restartNone() {
    for process in kept { process.isLast = true }
  }

  /// Whether all of the manifest's workers were stopped and have exited.
  var areStopped: Bool { kept.allSatisfy(\.isStopped) }

  /// Stops the running worker that was started last.
  func stopLast(then action: @escaping () -> Void) {
    kept.last { !$0.isStopped }?.stop(within: configuration.machine.cancelGrace, then: action)
  }

  /// Whether orphans are adopted.
  var adoptsOrphans: Bool { orphans != nil }

  /// Ends orphaned processes, and stops adopting orphans.
  func endOrphans(then action: @escaping () -> Void) {
    guard let orphans else { return action() }
    let left = orphans.processes
    if !left.isEmpty {
      logger.info(
        "commands left processes running, which are terminated now: \(left.list)",
        metadata: .event(.leftBehind, pids: left.map(\.pid)))
    }
    let grace = configuration.machine.cancelGrace
    orphans.end(within: grace) { [logger] left in
      guard !left.isEmpty else { return }
      logger.warning(
        "\(left.list) \(left.count == 1 ? "is" : "are") killed with SIGKILL: no exit within \(grace.words) of SIGTERM (cancelGrace)",
        metadata: .event(.killed, pids: left.map(\.pid)))
    } then: { [weak self] in
      self?.close()
      action()
    }
  }

  /// Kills all of them.
  func kill() {
    for process in kept { process.kill() }
    orphans?.killAll()
  }

  /// Stops adopting orphans.
  func close() {
    orphans?.close()
    orphans = nil
  }
}
