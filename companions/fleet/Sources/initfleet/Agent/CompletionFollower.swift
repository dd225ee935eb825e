internal import Etcd
internal import Fleet
internal import InitClient
internal import InitModel
internal import InitWords
internal import Logging

/// Retries the launch if another host completes an initializer after this host's own attempts have failed; the new run takes that
/// completion.
///
/// `LateCompletions` decides when; this carries that out.
@FleetActor final class CompletionFollower {
  private let etcd: EtcdClient
  private let keys: FleetKeys
  private let socket: String?
  private let logger: Logger
  private var rule = LateCompletions()
  private let alarm = Alarm()
  /// The tasks that follow completions.
  private var following: [LateCompletions.Work: Task<Void, Never>] = [:]
  /// The last retry.
  private var launching: Task<Void, Never>?

  init(_ etcd: EtcdClient, _ keys: FleetKeys, socket: String?, _ logger: Logger) {
    self.etcd = etcd
    self.keys = keys
    self.socket = socket
    self.logger = logger
  }

  /// Handles an event of the supervisor's.
  func handle(_ event: Status.Event) {
    switch event.body {
    case .snapshot(let status):
      let reports = status.initializers.map { LateCompletions.Report($0) }
      feed(.found(reports, launch: PhaseRecord(status.launch).state))
    case .state(let states): feed(.launch(PhaseRecord(states.launch).state))
    case .initializer(let initializer): feed(.changed(LateCompletions.Report(initializer)))
    case .initializerRemoved(let initializer): feed(.removed(initializer.name))
    default: break
    }
  }

  /// Follows no completions any more: the next supervisor launches without a request of the agent.
  func end() {
    launching?.cancel()
    feed(.disconnected)
  }

  private func feed(_ event: LateCompletions.Event) {
    let effects = rule.handle(event, at: FleetClock.now)
    alarm.set(rule.due) { [weak self] in self?.feed(.passed) }
    for effect in effects {
      switch effect {
      case .follow(let work): following[work] = Task { await self.follow(work) }
      case .stopFollowing(let work): following.removeValue(forKey: work)?.cancel()
      case .launch(let work):
        logger.info(
          "\(work.initializer) of release \(work.release) has been completed by another host: launching again")
        launching = Task { await self.launch() }
      }
    }
  }

  /// Reports a completion of the work, until the task is cancelled.
  private func follow(_ work: LateCompletions.Work) async {
    let key = keys.once(work.initializer, release: work.release).done
    let range = EtcdRange(from: key, to: key + "\0")
    while !Task.isCancelled {
      do {
        let (entries, revision) = try await etcd.list(range)
        for entry in entries { report(entry, of: work) }
        for try await events in etcd.watch(range, from: revision + 1) {
          for case .put(let entry) in events { report(entry, of: work) }
        }
      } catch {
        // The key is read again.
      }
      try? await Task.sleep(for: .milliseconds(Int.random(in: 500...1500)))
    }
  }

  private func report(_ entry: EtcdEntry, of work: LateCompletions.Work) {
    // If its output is secret, each host needs a run of its own.
    guard !Task.isCancelled, let record = DoneRecord(json: entry.value), !record.isSecret else { return }
    feed(.completed(work))
  }

  private func launch() async {
    do {
      let client = try await SupervisorClient.connect(
        at: socket, named: "initfleet agent", within: .seconds(1), onWaiting: { _ in })
      let pass: Int
      do {
        pass = try await client.launch()
      } catch {
        await client.close()
        throw error
      }
      await client.close()
      if !Task.isCancelled { feed(.launched(pass: pass)) }
    } catch {
      guard !Task.isCancelled else { return }
      logger.warning("can't launch again: \(error); trying again")
      feed(.unanswered)
    }
  }
}

extension LateCompletions.Report {
  fileprivate init(_ initializer: Initializer) {
    // Launch also runs the active initializers that it depends on. The others run again at the next activation.
    let isOfLaunch = initializer.phase == nil ? initializer.priority == .appLaunch : initializer.phase == .launch
    self.init(
      initializer.name, release: initializer.once?.release, hasFailed: initializer.status == .failed && isOfLaunch,
      pass: initializer.pass ?? 0)
  }
}
