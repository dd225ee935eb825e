internal import Etcd
internal import Fleet
internal import InitClient
internal import Logging

/// A candidate for a leadership.
///
/// `Leadership` decides what the candidate does; this carries that out.
@FleetActor final class Candidate {
  private let etcd: EtcdClient
  private let keys: FleetKeys
  private let leadership: String
  private let host: String
  private let socket: String?
  private let logger: Logger
  private let keeper: LeaseKeeper
  private var rule: Leadership
  private let alarm = Alarm()
  /// The calls to the hold, in order.
  private let outbox = Outbox()
  private var hold: LeasedHold?
  /// The task that follows the keys, and the task that waits for the end of the hold.
  private var following: Task<Void, Never>?
  private var holding: Task<Void, Never>?
  /// The key of this candidate.
  private var key = ""
  /// Whether the log says that there is no supervisor.
  private var hasToldSupervisor = false
  /// The decision when the app is active, or the attempt to get it.
  private var managing: Task<ActivationManagement, any Error>?
  /// The time for runs to stop that the keeper of the lease allows.
  private var cancelGrace: Duration?
  /// Whether nothing is active under the lease when the candidate has ended.
  private var givesUpLease = false
  private var misfit: Duration?
  private let end = Milestone()

  init(
    _ fleet: FleetConnection, leadership: String, host: String, leaseSeconds: Int, socket: String?, _ logger: Logger
  ) {
    etcd = fleet.etcd
    keys = fleet.keys
    self.leadership = leadership
    self.host = host
    self.socket = socket
    self.logger = logger
    keeper = LeaseKeeper(fleet.etcd, seconds: leaseSeconds, logger)
    rule = Leadership(leadership, timeToLive: keeper.timeToLive, seed: .random(in: .min ... .max))
  }

  /// Campaigns and leads until it has resigned, or the task is cancelled.
  ///
  /// `within` is how long to wait for the supervisor. Throws `SupervisorError` if there is no supervisor by then.
  func serve(within: Duration) async throws {
    let client = try await SupervisorClient.connect(at: socket, named: "initfleet lead", within: within) { [logger] in
      logger.info("waiting for a supervisor: \($0.words)")
    }
    await client.close()
    keeper.onChange = { [unowned self] lease, reason in feed(.leaseChanged(lease, reason: reason)) }
    let tasks = [Task { await keeper.keep() }, Task { await keepManaging() }]
    feed(.began)
    await end.wait()
    feed(.cancelled)
    for task in tasks { task.cancel() }
    following?.cancel()
    holding?.cancel()
    // Gives up the lease even if this task is cancelled.
    if givesUpLease { await Task { await keeper.giveUp() }.value }
    guard let misfit else { return }
    let reason = LeaseTerms(timeToLive: keeper.timeToLive).misfit(cancelGrace: misfit)
    throw UsageError("this host can't lead: \(reason); \(LeaseTerms.remedy(cancelGrace: misfit))")
  }

  /// Ends the leadership and the candidacy, and waits until the app is inactive.
  func resign() async {
    feed(.resigned)
    await end.wait(until: FleetClock.now + keeper.timeToLive)
  }

  private func feed(_ event: Leadership.Event) {
    let effects = rule.handle(event, at: FleetClock.now)
    alarm.set(rule.due) { [weak self] in self?.feed(.passed) }
    for effect in effects { carryOut(effect) }
  }

  private func carryOut(_ effect: Leadership.Effect) {
    switch effect {
    case .findSupervisor: Task { feed(await findSupervisor()) }
    case .allow(let grace): allow(grace)
    case .campaign(let lease): Task { await campaign(lease) }
    case .follow(let keys, let revision):
      following = Task { await self.follow(keys, after: revision) }
    case .stopFollowing: following?.cancel()
    case .prolong: keeper.prolong()
    case .hold(let end, let fence): Task { await self.hold(until: FleetClock.instant(end), fence: fence) }
    case .renew(let end):
      logger.trace("tells the supervisor an end in \(end - FleetClock.now)")
      guard let hold else { return }
      outbox.send { await hold.renew(until: FleetClock.instant(end)) }
    case .deactivate:
      let limit = keeper.timeToLive
      guard let hold else { return feed(.notStopped) }
      Task {
        do {
          try await hold.deactivate(within: limit)
          feed(.stopped)
        } catch {
          feed(.notStopped)
        }
      }
    case .drop:
      holding?.cancel()
      keeper.heartbeat.end()
      guard let hold else { return }
      self.hold = nil
      Task { await hold.close() }
    case .delete(let created):
      Task {
        do throws(EtcdError) {
          _ = try await etcd.transaction(if: [.created(key, at: created)], then: [.delete(key)])
          feed(.deleted)
        } catch {
          feed(.unanswered)
        }
      }
    case .abandonLease: keeper.abandon()
    case .giveUpLease: givesUpLease = true
    case .say(let words): logger.info("\(host) \(words)")
    case .warn(let words): logger.warning("\(host) \(words)")
    case .end(let misfit):
      self.misfit = misfit
      end.reach()
    }
  }

  private func campaign(_ lease: Int) async {
    key = keys.candidate(leadership, lease: lease)
    do throws(EtcdError) {
      let value = CandidateRecord(host: host).json()
      _ = try await etcd.transaction(if: [.absent(key)], then: [.put(key, value, lease: lease)])
      let (entries, revision) = try await etcd.list(EtcdRange(prefix: keys.candidates(leadership)))
      let all = entries.map { Leadership.Candidacy(key: $0.key, created: $0.created, isOwn: $0.key == key) }
      feed(.listed(all, revision: revision))
    } catch {
      feed(.unanswered)
    }
  }

  /// Reports the first change of one of these keys.
  private func follow(_ keys: [String], after revision: Int) async {
    await withTaskGroup(of: Void.self) { group in
      // A watch of the whole leadership would wake every candidate at each change.
      for key in keys { group.addTask { await self.awaitChange(of: key, after: revision) } }
      await group.next()
      group.cancelAll()
    }
    if !Task.isCancelled { feed(.changed) }
  }

  /// Returns when the key has changed, or changes may have been missed.
  private func awaitChange(of key: String, after revision: Int) async {
    do {
      for try await _ in etcd.watch(EtcdRange(from: key, to: key + "\0"), from: revision + 1) { return }
    } catch {
      // The keys are read again.
    }
    try? await Task.sleep(for: .milliseconds(Int.random(in: 100...400)))
  }

  // MARK: The supervisor

  private func connect() async throws -> SupervisorClient {
    try await SupervisorClient.connect(at: socket, named: "initfleet lead", within: .seconds(1), onWaiting: { _ in })
  }

  /// Decides when the app is active until the task is cancelled, so nobody activates the app of a standby host by mistake.
  private func keepManaging() async {
    var told = ""
    while !Task.isCancelled {
      do {
        let management = try await management()
        told = ""
        await withTaskCancellationHandler {
          await management.untilEnded()
        } onCancel: {
          Task { await management.end() }
        }
        managing = nil
      } catch let error as SupervisorError where error.code != nil {
        if told != error.words { logger.warning("\(error.words); trying again") }
        told = error.words
      } catch {
        // A missing supervisor is reported elsewhere.
      }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Returns the decision when the app is active, and asks the supervisor for it if this candidate doesn't have it.
  private func management() async throws -> ActivationManagement {
    let task =
      managing
      ?? Task {
        let client = try await connect()
        let management = try await client.manageActivation()
        await client.close()
        return management
      }
    managing = task
    do {
      return try await task.value
    } catch {
      if managing == task { managing = nil }
      throw error
    }
  }

  private func findSupervisor() async -> Leadership.Event {
    let limit = Duration.seconds(2)
    let reason: String
    do {
      let event = try await TimeLimit.race(limit) { try await self.askSupervisor() }
      if let event {
        hasToldSupervisor = false
        return event
      }
      reason = "the supervisor hasn't answered for \(limit.words)"
    } catch let error as SupervisorError where error.kind == .nameConflict {
      // Another candidate manages it, which is reported elsewhere.
      return .supervisorMissing
    } catch {
      reason = Self.words(error)
    }
    if !hasToldSupervisor { logger.warning("\(reason); trying again") }
    hasToldSupervisor = true
    return .supervisorMissing
  }

  private func askSupervisor() async throws -> Leadership.Event {
    do {
      return .supervisorFound(cancelGrace: try await management().cancelGrace())
    } catch let error as SupervisorError where error.code != nil && error.kind != .nameConflict {
      // It answers, but e.g. is an older one, which can't be managed.
      return .supervisorFound(cancelGrace: nil)
    }
  }

  private func allow(_ grace: Duration) {
    guard grace != cancelGrace else { return }
    cancelGrace = grace
    keeper.allow(cancelGrace: grace)
  }

  private func hold(until end: ContinuousClock.Instant, fence: Int) async {
    let client: SupervisorClient
    do {
      client = try await connect()
    } catch {
      return feed(.refused(.unreachable(Self.words(error))))
    }
    do {
      // Later the supervisor refuses it, because it has ended.
      let limit = keeper.timeToLive
      let found = try await TimeLimit.race(limit) { try await client.hold(until: end, fence: fence) }
      await client.close()
      guard let hold = found else {
        return feed(.refused(.unanswered("the supervisor hasn't answered for \(limit.words)")))
      }
      self.hold = hold
      allow(hold.cancelGrace)
      keeper.heartbeat.begin { try await hold.ping(within: $0) }
      feed(.held)
      holding = Task {
        for await loss in hold.losses where !Task.isCancelled { feed(.lost(Self.loss(loss))) }
      }
    } catch {
      feed(.refused(Self.refusal(error)))
    }
  }

  private static func loss(_ loss: LeasedHold.Loss) -> Leadership.Loss {
    switch loss {
    case .activationFailed(let reason): .inactive(reason)
    case .deactivated: .inactive("the app was deactivated, by somebody or because its lease wasn't renewed in time")
    case .supervisorEnded: .shutdown
    case .connectionLost(let reason): .connection(reason.words)
    }
  }

  private static func words(_ error: any Error) -> String { (error as? SupervisorError)?.words ?? "\(error)" }

  private static func refusal(_ error: any Error) -> Leadership.Refusal {
    guard let error = error as? SupervisorError else { return .unanswered("\(error)") }
    switch error.kind {
    case .unreachable, .shuttingDown: return .unreachable(error.words)
    // After the activation, the supervisor may have refused the subscription, or sent a wrong answer.
    case .connectionLost, .closed, .timedOut, .notASupervisor, .limitExceeded: return .unanswered(error.words)
    default: return .other("\(error)")
    }
  }
}
