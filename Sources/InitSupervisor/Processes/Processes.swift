internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// The processes beside the runs and the app: workers of the manifest, which are kept running, and what is orphaned below us.
final class Processes: Part {
  /// One of the manifest's workers has changed.
  var onChange: () -> Void = {}

  let core: Core
  private let broadcast: Broadcast
  private let log: SupervisorLog
  /// In the order in which they were started.
  private var kept: [KeptProcess] = []
  private var orphans: Orphans?

  init(_ core: Core, broadcast: Broadcast, log: SupervisorLog) {
    (self.core, self.broadcast, self.log) = (core, broadcast, log)
  }

  /// What is to be seen of the manifest's workers.
  var shapes: [ProcessShape] { kept.map(\.shape) }

  /// Whether one of them runs.
  var areRunning: Bool { kept.contains(where: \.isRunning) }

  /// Starts the manifest's workers, in order. Orphans are ours from now on, if that is wanted.
  func start() {
    if configuration.adoptsOrphans {
      do { orphans = try Orphans(loop: loop) } catch { logger.warning("cannot reap orphans: \(error)") }
    }
    for (place, declared) in configuration.workers.enumerated() {
      do {
        let base = try EnvironmentBlock(CommandEnvironment.common(configuration.environment))
        let own = CommandEnvironment.common(declared.command.environment).sorted { $0.key < $1.key }
        let environment = try EnvironmentBlock(
          base,
          adding: own.filter { $0.key != "INITD_SOCKET" }.map { ($0.key, $0.value) }
            + [("INITD_SOCKET", configuration.socketPath)])
        let process = KeptProcess(
          declared, loop: loop, environment: environment, limits: configuration.limits,
          seed: configuration.machine.seed &+ UInt64(place), logger: logger, time: { [core] in core.time },
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
        log.keep(line, of: name, run: start, stream, .event(.output, process: name, run: start))
      },
      onChange: { [weak self] in
        guard let self, let process = kept.first(where: { $0.name == name }) else { return }
        broadcast.publish(.process(process.shape), topics: [.worker])
        onChange()
      },
      onFailure: { [log] start, since in
        log.showLast(of: name, run: start, since: since, .event(.output, process: name, run: start))
      })
  }

  /// Somebody asks for what they may be needed for.
  func startGivenUp() {
    for process in kept { process.startIfGivenUp() }
  }

  /// What children have started ends with us, also if we are killed.
  ///
  /// - Parameter lock: what the next supervisor can't have before.
  func guardChildren(lock: Descriptor?) {
    guard configuration.adoptsOrphans else { return }
    do {
      try loop.guardChildren(grace: configuration.machine.cancelGrace, lock: lock)
    } catch {
      logger.warning("cannot guard what commands start: \(error); if initd is killed, some of it may live on")
    }
  }

  /// None of the manifest's workers is started again.
  func restartNone() {
    for process in kept { process.isLast = true }
  }

  /// Whether the manifest's workers were stopped, and have gone.
  var areStopped: Bool { kept.allSatisfy(\.isStopped) }

  /// Ends the worker of the manifest that was started last of those there are.
  func stopLast(then action: @escaping () -> Void) {
    kept.last { !$0.isStopped }?.stop(within: configuration.machine.cancelGrace, then: action)
  }

  /// Whether orphans come to us.
  var adoptsOrphans: Bool { orphans != nil }

  /// Ends what was left behind; no orphans come to us after that.
  func endOrphans(then action: @escaping () -> Void) {
    guard let orphans else { return action() }
    let left = orphans.processes
    if !left.isEmpty {
      logger.info("commands left processes running, which are told to end: \(left.list)", metadata: .event(.leftBehind))
    }
    orphans.end(within: configuration.machine.cancelGrace) { [weak self] in
      self?.close()
      action()
    }
  }

  /// Kills all of them.
  func kill() {
    for process in kept { process.kill() }
    orphans?.killAll()
  }

  /// Adopts no more orphans.
  func close() {
    orphans?.close()
    orphans = nil
  }
}
