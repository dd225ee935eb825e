internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// The processes beside the runs: workers of the manifest, and what is orphaned below us.
extension Supervisor {
  /// Starts the manifest's workers, in order.
  func startKept() {
    for (place, declared) in configuration.workers.enumerated() {
      do {
        let base = try EnvironmentBlock(CommandEnvironment.common(configuration.environment))
        let own = CommandEnvironment.common(declared.command.environment).sorted { $0.key < $1.key }
        let environment = try EnvironmentBlock(
          base,
          adding: own.filter { $0.key != "INITD_SOCKET" }.map { ($0.key, $0.value) }
            + [("INITD_SOCKET", configuration.socketPath)])
        let process = KeptProcess(
          declared, loop: loop, environment: environment, limits: limits,
          seed: configuration.machine.seed &+ UInt64(place), logger: logger,
          time: { [weak self] in self?.assumeIsolated { $0.time } ?? 0 }, listener: listener(of: declared.name))
        kept.append(process)
        process.start()
      } catch {
        logger.error("worker \(declared.name): \(error)")
      }
    }
  }

  private func listener(of name: String) -> KeptProcess.Listener {
    return KeptProcess.Listener(
      onLine: { [weak self] start, stream, line in
        self?.assumeIsolated { $0.keep(line, of: name, run: start, stream, .event(.output, process: name, run: start)) }
      },
      onChange: { [weak self] in
        self?.assumeIsolated { supervisor in
          guard let process = supervisor.kept.first(where: { $0.name == name }) else { return }
          supervisor.publish(.process(process.shape), topics: [.worker])
          guard supervisor.isEnded else { return }
          supervisor.loop.perform { [weak supervisor] in supervisor?.assumeIsolated { $0.finishIfAlone() } }
        }
      },
      onFailure: { [weak self] start, since in
        self?.assumeIsolated {
          $0.logLastLines(of: name, run: start, since: since, .event(.output, process: name, run: start))
        }
      })
  }

  /// Somebody asks for what they may be needed for.
  func startGivenUp() {
    for process in kept { process.startIfGivenUp() }
  }

  /// Orphans are ours from now on; without that they are whoever's they would be.
  func adoptOrphans() {
    do { orphans = try Orphans(loop: loop) } catch { logger.warning("cannot reap orphans: \(error)") }
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

  /// Nothing runs any more that the machine knows of.
  func becameQuiet() {
    isQuiet = true
    endInOrder()
  }

  /// Ends one after the other what the runs may have needed: the app, the workers, the last started first, what initializers have set up, and what is
  /// left behind. Each calls this again.
  func endInOrder() {
    guard isQuiet, !isEnded, !isAppRunning else { return }
    let grace = configuration.machine.cancelGrace
    if let last = kept.last(where: { !$0.isStopped }) {
      return last.stop(within: grace) { [weak self] in self?.assumeIsolated { $0.endInOrder() } }
    }
    guard isStopped else {
      try? apply(.stopsRequested)
      return
    }
    guard let orphans else { return end() }
    let left = orphans.processes
    if !left.isEmpty {
      logger.info("commands left processes running, which are told to end: \(left.list)", metadata: .event(.leftBehind))
    }
    orphans.end(within: grace) { [weak self] in
      self?.assumeIsolated { supervisor in
        supervisor.orphans?.close()
        supervisor.orphans = nil
        supervisor.endInOrder()
      }
    }
  }

  /// Kills all of them.
  func killProcesses() {
    killApp()
    for process in kept { process.kill() }
    orphans?.killAll()
  }
}
