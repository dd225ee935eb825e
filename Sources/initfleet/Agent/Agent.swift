internal import CommandLineOptions
internal import Etcd
internal import EventLoop
internal import Fleet
internal import InitClient
internal import InitText
internal import InitWire

/// The agent of one host: the coordinator of its supervisor.
///
/// It agrees with the agents of the other hosts through etcd, publishes the supervisor's states, and carries out orders.
///
/// Terms. The *lease* is etcd's: the agent renews it, and the keys that are bound to it are deleted when it ends. A *held claim* is one that
/// this host has, from the transaction that created its key to the one that deletes it.
///
/// Invariants:
///
/// 1. The key of a claim is bound to the lease. The supervisor gets an earlier end, because the clock of etcd may run faster.
/// 2. A completion is recorded in a transaction that holds only if the key is still the one of this run.
/// 3. The agent deletes the key of a claim only after the supervisor has reported that the run has stopped, or when the lease would have ended.
/// 4. If a transaction may have created the key, although its answer was lost, the agent deletes the key when the claim has ended.
actor Agent {
  /// The loop as an executor.
  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let etcd: Etcd
  let keys: FleetKeys
  let host: String
  /// Differs from that of other agents, and of this one before its last start.
  let instance: String
  /// How many connections to supervisors were lost.
  ///
  /// Each supervisor numbers its runs from 1, so a number alone doesn't identify a run.
  private(set) var lostConnections = 0
  private(set) var service: CoordinatorService?
  let keeper: LeaseKeeper
  var held: [Int: HeldClaim] = [:]
  /// The keys that are being deleted, and those of ended claims whose runs may still work.
  var deletions: Set<String> = [], lingering: Set<String> = []
  /// The owners of claims that are being decided.
  var deciding: Set<String> = []
  private var cancelGrace = Duration.zero
  /// Whether no further claims are taken.
  private(set) var isEnding = false
  let changes: KeyChanges
  private let states: HostStates
  private let orders: OrderTaker
  /// The task that follows the supervisor's events.
  private var following: Task<Void, Never>?

  init(etcd: Etcd, keys: FleetKeys, host: String, leaseSeconds: Int) {
    loop = etcd.loop
    self.etcd = etcd
    self.keys = keys
    self.host = host
    instance = String(UInt64.random(in: .min ... .max), radix: 16)
    changes = KeyChanges(etcd, under: keys.once)
    keeper = LeaseKeeper(etcd, seconds: leaseSeconds)
    states = HostStates(etcd, keys, keeper, host: host, instance: instance)
    orders = OrderTaker(etcd, keys, host: host, states: states)
  }

  /// Coordinates until the task is cancelled.
  ///
  /// `within` says how long to wait for the supervisor.
  func serve(socket: String, within: Duration?) async throws {
    let service = CoordinatorService(
      loop: loop, path: socket, program: ProgramShape(name: "initfleet agent", version: Release.version),
      handlers: CoordinatorService.Handlers(
        onReady: { offer, client in self.assumeIsolated { $0.becameReady(offer, client) } },
        onLost: { reason in self.assumeIsolated { $0.lostSupervisor(reason) } },
        claim: { try await self.decide($0) },
        complete: { try await self.record($0) },
        unclaim: { params in
          self.assumeIsolated {
            $0.release(
              params.run, after: params.stopped ? .zero : $0.keeper.timeToLive,
              failure: params.outcome == .failed ? params.message ?? "no reason given" : nil)
          }
        }))
    self.service = service
    let handlers = LeaseKeeper.Handlers(
      onObtained: { _ in self.assumeIsolated { $0.obtainedLease() } },
      onRenewed: { lease in self.assumeIsolated { $0.renewedLease(lease) } },
      onLost: { reason in self.assumeIsolated { $0.lostLease(reason) } },
      onTrouble: { self.assumeIsolated { $0.doubtEtcd() } })
    let tasks = [
      Task(executorPreference: loop) { await self.keeper.keep(handlers) },
      Task(executorPreference: loop) { await self.states.keepPublished() },
      Task(executorPreference: loop) { await self.orders.follow() },
    ]
    defer { for task in tasks { task.cancel() } }
    do {
      try await service.serve(within: within)
    } catch {
      await keeper.giveUp()
      throw error
    }
    following?.cancel()
    // If a run may not have stopped, the lease must end by itself.
    if held.isEmpty, lingering.isEmpty { await keeper.giveUp() }
  }

  /// Gives up all claims, and waits until their runs have stopped, at most as long as the supervisor takes to kill them.
  func giveUpClaims() async {
    isEnding = true
    for run in held.keys.sorted() { await service?.revoke(RevokeParams(run: run, message: "the agent ends")) }
    let end = loop.now + cancelGrace + .seconds(1)
    while !held.isEmpty || !deletions.isEmpty, loop.now < end { try? await Task.sleep(for: .milliseconds(20)) }
  }

  // MARK: The supervisor

  private func becameReady(_ offer: CoordinateResult, _ client: Client) {
    cancelGrace = .seconds(offer.cancelGrace)
    following?.cancel()
    following = Task(executorPreference: loop) { [orders, states] in
      await orders.connect(client)
      await states.follow(client) { initializer in self.assumeIsolated { $0.handleProgress(of: initializer) } }
    }
    Task(executorPreference: loop) { [cancelGrace, keeper] in
      guard let needed = await keeper.allow(cancelGrace: cancelGrace) else { return }
      FleetConsole.complain(LeaseKeeper.isTooShort(keeper.timeToLive, for: cancelGrace, needed))
    }
  }

  private func lostSupervisor(_ reason: ClientError) {
    FleetConsole.complain("\(reason); connecting again")
    lostConnections += 1
    following?.cancel()
    // The runs are being stopped, but workers may continue if the supervisor was killed.
    for run in held.keys.sorted() { release(run, after: keeper.timeToLive) }
    Task(executorPreference: loop) { [orders, states] in
      await orders.connect(nil)
      await states.publish { $0.trouble = "its supervisor doesn't answer" }
    }
  }

  // MARK: The lease

  /// The lease, if there is one.
  var lease: LeaseKeeper.Lease? { keeper.assumeIsolated { $0.lease } }

  private func obtainedLease() {
    doubtEtcd()
    Task(executorPreference: loop) { [states] in await states.obtainedLease() }
  }

  private func renewedLease(_ lease: LeaseKeeper.Lease) {
    let service = service
    let left = secondsLeft(of: lease)
    let now = loop.now.inSeconds
    for (run, claim) in held where claim.lease == lease.id {
      Task(executorPreference: loop) { await service?.renew(RenewParams(run: run, lease: left, at: now)) }
    }
  }

  /// The time for which the supervisor may rely on a lease.
  func secondsLeft(of lease: LeaseKeeper.Lease) -> Double { max(.zero, lease.safeEnd - loop.now).inSeconds }

  /// The keys that are bound to the lease are deleted, or will be.
  private func lostLease(_ reason: String) {
    let service = service
    for run in held.keys.sorted() {
      Task(executorPreference: loop) { await service?.revoke(RevokeParams(run: run, message: reason)) }
    }
  }

  /// Begins new watches, because connections to etcd may be dead.
  private func doubtEtcd() {
    Task(executorPreference: loop) { [changes, orders] in
      await changes.doubt()
      await orders.doubt()
    }
  }
}
