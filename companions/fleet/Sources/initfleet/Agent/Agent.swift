internal import AppInitializers
internal import Etcd
internal import Fleet
internal import InitClient
internal import InitModel
internal import InitWords
internal import Logging

/// The agent of one host: the coordinator of its supervisor.
///
/// The agent agrees with the agents of the other hosts through etcd, publishes the supervisor's states, and carries out orders. `OnceClaim`
/// decides what to do about a claim; this carries that out.
@FleetActor final class Agent {
  /// A claim that isn't over.
  final class Running {
    let claim: SupervisorCoordinator.Claim
    let keys: FleetKeys.OnceKeys
    var rule: OnceClaim
    let alarm = Alarm()
    /// The task that follows the keys.
    var following: Task<Void, Never>?

    @FleetActor init(_ claim: SupervisorCoordinator.Claim, _ keys: FleetKeys.OnceKeys, _ rule: OnceClaim) {
      self.claim = claim
      self.keys = keys
      self.rule = rule
    }
  }

  private let fleet: FleetConnection
  private let logger: Logger
  private var etcd: EtcdClient { fleet.etcd }
  private var keys: FleetKeys { fleet.keys }
  let host: String
  /// Differs from the identifier of other agents, and from that of this agent before its last start.
  private let instance = String(UInt64.random(in: .min ... .max), radix: 16)
  private let coordinator: SupervisorCoordinator
  private let keeper: LeaseKeeper
  private let states: HostStates
  private let orders: OrderTaker
  private let completions: CompletionFollower
  private var claims: [SupervisorCoordinator.ClaimID: Running] = [:]
  private var lastClaim = 0
  private let keep: Int?
  private var cancelGrace = Duration.zero
  /// Whether no further claims are taken.
  private var isEnding = false
  /// While the agent ends, no claim needs to be waited for.
  private let idle = Milestone()
  /// While the agent ends, all completions are recorded.
  private var recorded: Milestone?
  /// The calls to the coordinator, in order.
  private let outbox = Outbox()
  private let socket: String?
  /// Whether the log says that the agent has begun its work.
  private var hasAnnounced = false
  /// Whether this agent was the coordinator before, and isn't now.
  private var isSeparated = false
  /// Reports that no supervisor accepts this agent.
  private let absence = Alarm()
  /// The task that follows the supervisor's events.
  private var following: Task<Void, Never>?

  /// `keep` is the number of releases whose records stay; nil for all.
  init(
    _ fleet: FleetConnection, host: String, leaseSeconds: Int, socket: String?, keep: Int?, _ logger: Logger
  ) throws {
    self.fleet = fleet
    self.logger = logger
    self.host = host
    self.keep = keep
    self.socket = socket
    coordinator = try SupervisorCoordinator(at: socket, named: "initfleet agent")
    keeper = LeaseKeeper(fleet.etcd, seconds: leaseSeconds, logger)
    states = HostStates(fleet.etcd, fleet.keys, keeper, host: host, instance: instance, logger)
    completions = CompletionFollower(fleet.etcd, fleet.keys, socket: socket, logger)
    orders = OrderTaker(fleet.etcd, fleet.keys, host: host, socket: socket, states: states)
  }

  /// Coordinates until the task is cancelled.
  ///
  /// `within` is how long to wait for the supervisor.
  func serve(within: Duration) async throws {
    keeper.onChange = { [unowned self] lease, reason in changeLease(lease, reason) }
    keeper.onExpiry = { [unowned self] reason in
      for claim in claims.keys { feed(claim, .leaseExpires(reason: reason)) }
    }
    states.isLeaseNeeded = { [unowned self] in isLeaseNeeded }
    let tasks = [
      Task { await keeper.keep() }, Task { await states.keepPublished() }, Task { await orders.follow() },
    ]
    defer { for task in tasks { task.cancel() } }
    let coordinating = Task { [coordinator] in try await coordinator.run(within: within) }
    let result = await withTaskCancellationHandler {
      for await event in coordinator.events { handle(event) }
      return await coordinating.result
    } onCancel: {
      coordinating.cancel()
    }
    following?.cancel()
    for task in tasks { task.cancel() }
    // If a run may not have stopped, or a completion isn't recorded, the lease must run out.
    guard !isLeaseNeeded else { return try result.get() }
    // Gives up the lease even if this task is cancelled.
    await Task { await keeper.giveUp() }.value
    try result.get()
  }

  /// Whether another host could begin too early if the lease ended: a run may not have stopped, or its completion isn't recorded.
  private var isLeaseNeeded: Bool { claims.values.contains { $0.rule.mayWork || $0.rule.isRecording } }

  /// Gives up all claims, and waits until their runs have stopped, at most as long as the supervisor takes to kill them.
  ///
  /// Then waits until all completions are recorded: another host would run those initializers again.
  func giveUpClaims() async {
    isEnding = true
    for claim in claims.keys { feed(claim, .withdrawn(reason: "the agent ends")) }
    checkWhetherIdle()
    await idle.wait(until: FleetClock.now + cancelGrace + .seconds(1))
    let unrecorded = claims.values.filter(\.rule.isRecording).map(\.claim.initializer)
    guard !unrecorded.isEmpty else { return }
    logger.warning(
      "waits until etcd has recorded that \(unrecorded.sorted().joined(separator: ", ")) completed; a second signal ends the agent at once, and another host would run that again"
    )
    let recorded = Milestone()
    self.recorded = recorded
    checkWhetherIdle()
    await recorded.wait()
  }

  private func checkWhetherIdle() {
    if isEnding, !claims.values.contains(where: { $0.rule.isBusy }) { idle.reach() }
    if !claims.values.contains(where: { $0.rule.isRecording }) { recorded?.reach() }
  }

  // MARK: The supervisor

  private func handle(_ event: SupervisorCoordinator.Event) {
    switch event {
    case .connected(let grace):
      if isSeparated { logger.info("connected to the supervisor again") }
      isSeparated = false
      absence.set(nil) {}
      cancelGrace = grace
      keeper.allow(cancelGrace: grace)
      keeper.heartbeat.begin { [coordinator] in try await coordinator.ping(within: $0) }
      following?.cancel()
      orders.isConnected = true
      announce()
      following = Task {
        await states.follow(socket, completions) { [unowned self] in
          report($0)
        } isExecuting: { [unowned self] in
          claim($0) != nil
        }
      }
    case .claimed(let claim):
      lastClaim += 1
      let rule = OnceClaim(
        owner: "\(instance)-\(lastClaim)", isSecret: claim.isSecret, lease: keeper.lease,
        timeToLive: keeper.timeToLive, timeout: claim.timeout, endsWithSupervisor: claim.endsWithSupervisor,
        seed: .random(in: .min ... .max))
      claims[claim.id] = Running(claim, keys.once(claim.initializer, release: claim.release), rule)
      if isEnding { feed(claim.id, .withdrawn(reason: "the agent ends")) }
      feed(claim.id, .began)
      if keeper.lease == nil { feed(claim.id, .leaseChanged(nil, reason: keeper.trouble)) }
    case .completed(let claim, let output, let isSecret): feed(claim, .completed(output: output, isSecret: isSecret))
    case .ended(let claim, let failure, let hasStopped):
      feed(claim, .ended(failure: failure, hasStopped: hasStopped))
    case .disconnected(let reason, let hasEnded):
      logger.warning("\(reason.words); connecting again")
      isSeparated = true
      absence.set(FleetClock.now + keeper.timeToLive) { [keeper, logger] in
        logger.warning(
          "no supervisor has accepted this agent for \(keeper.timeToLive.words): none is running, or it doesn't answer; check initctl status, or initd's log"
        )
      }
      keeper.heartbeat.end()
      following?.cancel()
      orders.isConnected = false
      completions.end()
      for claim in claims.keys { feed(claim, .disconnected(hasEnded: hasEnded)) }
      states.publish { $0.trouble = "its supervisor doesn't answer" }
    case .refused(let reason):
      logger.warning("the supervisor refuses this agent: \(reason.words); trying again")
      absence.set(nil) {}
      states.publish { $0.trouble = "its supervisor refuses the agent: \(reason.words)" }
    }
  }

  /// Returns the claim whose run the supervisor executes for an initializer; nil if the initializer waits for another host, or doesn't run.
  private func claim(_ initializer: Initializer) -> SupervisorCoordinator.ClaimID? {
    guard initializer.status == .running, let fence = initializer.once?.fence else { return nil }
    return claims.first { id, running in
      id.run == initializer.run && running.claim.initializer == initializer.name && running.rule.fence == fence
    }?.key
  }

  /// Reports the progress of a run to the hosts that wait for it.
  private func report(_ initializer: Initializer) {
    guard let id = claim(initializer) else { return }
    let percent = initializer.progress?.fraction.map { "\(Int(($0 * 100).rounded())) %" }
    let parts = [percent, initializer.progress?.message].compactMap(\.self)
    feed(id, .progressed(parts.isEmpty ? nil : parts.joined(separator: ", ")))
  }

  private func changeLease(_ lease: HeldLease?, _ reason: String) {
    for claim in claims.keys { feed(claim, .leaseChanged(lease, reason: reason)) }
    if lease != nil { states.changedLease() }
    announce()
  }

  /// Logs, once, that the agent has begun its work: with a supervisor, and with a lease.
  private func announce() {
    guard !hasAnnounced, orders.isConnected, keeper.lease != nil else { return }
    hasAnnounced = true
    let lease = keeper.timeToLive.words
    logger.info("coordinates the supervisor of \(host) in the fleet \(fleet.name), with a lease of \(lease)")
  }

  // MARK: Claims

  /// Returns whether a claim in etcd is bound to this agent's lease, but belongs to no claim that this agent knows.
  private func isAbandoned(_ entry: EtcdEntry, _ record: ClaimRecord?) -> Bool {
    guard entry.lease == keeper.lease?.id, let record else { return false }
    return !claims.values.contains { $0.rule.owner == record.owner }
  }

  private func feed(_ id: SupervisorCoordinator.ClaimID, _ event: OnceClaim.Event) {
    guard let running = claims[id] else { return }
    let effects = running.rule.handle(event, at: FleetClock.now)
    running.alarm.set(running.rule.due) { [weak self] in self?.feed(id, .passed) }
    for effect in effects { carryOut(effect, id, running) }
    checkWhetherIdle()
  }

  /// Deletes the records of old releases.
  ///
  /// If etcd doesn't answer, the next completion of an agent forgets them.
  private func forgetOldReleases() async {
    guard let keep, let forgotten = try? await Forgetting.keepNewest(keep, of: fleet), !forgotten.isEmpty else {
      return
    }
    logger.info("forgot old releases: \(forgotten.joined(separator: ", "))")
  }

  private func carryOut(_ effect: OnceClaim.Effect, _ id: SupervisorCoordinator.ClaimID, _ running: Running) {
    let keys = running.keys
    switch effect {
    case .claim(let lease, let evenIfDone):
      let value = ClaimRecord(host: host, owner: running.rule.owner).json()
      send(
        id, .ask, if: [.absent(keys.claim)] + (evenIfDone ? [] : [.absent(keys.done)]),
        then: [.put(keys.claim, value, lease: lease)], else: Self.gets(keys)
      ) { [unowned self] in $0.succeeded ? .created(revision: $0.revision) : .seen(sight($0)) }
    case .look: send(id, .ask, if: [], then: Self.gets(keys)) { [unowned self] in .seen(sight($0)) }
    case .record(let fence, let output, let isSecret):
      let record = DoneRecord(host: host, time: WallTime.now, fence: fence, output: output, isSecret: isSecret)
      send(
        id, .record, if: [.created(keys.claim, at: fence)],
        then: [.put(keys.done, record.json(), lease: 0), .delete(keys.claim), .delete(keys.failed)],
        else: [.get(keys.done)]
      ) { [host, unowned self] outcome in
        // Each host records the completion of an initializer with a secret output: a large fleet must not look that often.
        if outcome.succeeded, !isSecret { Task { await forgetOldReleases() } }
        // An earlier request may have been executed although its answer was lost.
        let found = outcome.found(0).flatMap { DoneRecord(json: $0.value) }
        return .recorded(outcome.succeeded || (found?.fence == fence && found?.host == host))
      }
    case .delete(let created, let failure):
      let record = failure.map { FailureRecord(host: host, time: WallTime.now, fence: created, message: $0).json() }
      send(
        id, .delete, if: [.created(keys.claim, at: created)],
        then: [.delete(keys.claim)] + (record.map { [.put(keys.failed, $0, lease: 0)] } ?? [])
      ) { _ in .deleted }
    case .write(let progress, let fence, let lease):
      let value = ClaimRecord(host: host, owner: running.rule.owner, progress: progress).json()
      // If that fails, the next report is written.
      Task {
        _ = try? await etcd.transaction(
          if: [.created(keys.claim, at: fence)], then: [.put(keys.claim, value, lease: lease)])
      }
    case .follow(let revision):
      running.following?.cancel()
      running.following = Task { await self.follow(id, keys, after: revision) }
    case .stopFollowing: running.following?.cancel()
    case .prolong: keeper.prolong()
    case .allow(let fence, let end):
      tell("runs here, with the token \(fence)", of: running.claim)
      outbox.send { [coordinator] in await coordinator.allow(id, fence: fence, until: FleetClock.instant(end)) }
    case .skip(let output, let record):
      let message = "completed on \(record.host) at \(WallTime.text(record.time))"
      tell("was \(message)", of: running.claim)
      outbox.send { [coordinator] in await coordinator.skip(id, output: output, message: message) }
    case .confirm:
      tell("is done", of: running.claim)
      outbox.send { [coordinator] in await coordinator.confirm(id) }
    case .fail(let message): outbox.send { [coordinator] in await coordinator.fail(id, message) }
    case .report(let message): outbox.send { [coordinator] in await coordinator.report(id, message) }
    case .renew(let end):
      logger.trace("tells the supervisor an end in \(end - FleetClock.now)")
      outbox.send { [coordinator] in await coordinator.renew(id, until: FleetClock.instant(end)) }
    case .extend(let time): outbox.send { [coordinator] in await coordinator.extend(id, by: time) }
    case .log(let what):
      tell(what, of: running.claim, .warning)
    case .revoke(let reason): outbox.send { [coordinator] in await coordinator.revoke(id, reason) }
    case .finish:
      running.following?.cancel()
      running.alarm.set(nil) {}
      claims[id] = nil
    }
  }

  private func tell(_ what: String, of claim: SupervisorCoordinator.Claim, _ level: Logger.Level = .info) {
    logger.log(
      level: level, "\(claim.initializer) of release \(claim.release) \(what)",
      metadata: ["initializer": "\(claim.initializer)", "release": "\(claim.release)"])
  }

  private static func gets(_ keys: FleetKeys.OnceKeys) -> [EtcdOperation] {
    [.get(keys.done), .get(keys.claim), .get(keys.failed)]
  }

  /// Reads the results of these gets.
  private func sight(_ outcome: EtcdOutcome) -> OnceClaim.Sight {
    OnceClaim.Sight(
      revision: outcome.revision, claim: outcome.found(1).map(sight), done: outcome.found(0).map(Self.done),
      failed: outcome.found(2).flatMap { FailureRecord(json: $0.value) })
  }

  private func sight(_ entry: EtcdEntry) -> OnceClaim.Sight.Claim {
    let record = ClaimRecord(json: entry.value)
    return OnceClaim.Sight.Claim(
      created: entry.created, lease: entry.lease, record: record, isAbandoned: isAbandoned(entry, record))
  }

  private static func done(_ entry: EtcdEntry) -> OnceClaim.Sight.Done {
    DoneRecord(json: entry.value).map { .recorded($0) } ?? .unreadable(key: entry.key)
  }

  /// Sends a request, and reports the event of its answer.
  private func send(
    _ id: SupervisorCoordinator.ClaimID, _ request: OnceClaim.Request, if conditions: [EtcdCondition],
    then operations: [EtcdOperation], else others: [EtcdOperation] = [],
    _ event: @escaping @FleetActor (EtcdOutcome) -> OnceClaim.Event
  ) {
    Task {
      do throws(EtcdError) {
        feed(id, event(try await etcd.transaction(if: conditions, then: operations, else: others)))
      } catch {
        feed(id, .unanswered(request, reason: error.words, OnceClaim.Refusal(error)))
      }
    }
  }

  /// Reports changes of the keys of a claim until the task is cancelled.
  private func follow(
    _ id: SupervisorCoordinator.ClaimID, _ keys: FleetKeys.OnceKeys, after revision: Int
  ) async {
    do {
      for try await events in etcd.watch(EtcdRange(from: keys.claim, to: keys.done + "\0"), from: revision + 1) {
        for event in events where !Task.isCancelled {
          switch event {
          case .put(let entry) where entry.key == keys.claim: feed(id, .followed(sight(entry)))
          case .put(let entry) where entry.key == keys.done: feed(id, .completedElsewhere(Self.done(entry)))
          case .deleted(keys.claim, _): feed(id, .vacated)
          case .put, .deleted: continue
          }
        }
      }
    } catch {
      // The keys are read again.
    }
    try? await Task.sleep(for: .milliseconds(Int.random(in: 100...400)))
    if !Task.isCancelled { feed(id, .doubted) }
  }
}

extension OnceClaim.Refusal {
  /// Returns nil if etcd may have executed the request.
  fileprivate init?(_ error: EtcdError) {
    if error.isUnreachable { return nil }
    self = error.mayPass ? .full : error.isDenied ? .denied : .final
  }
}
