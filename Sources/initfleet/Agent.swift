internal import CommandLineOptions
internal import Etcd
internal import InitClient
internal import InitWire
internal import Libuv

/// The agent of one host: the coordinator of its supervisor. It agrees with the agents of the other hosts through etcd.
///
/// Terms. The *lease* is etcd's: the agent renews it, and the keys that are bound to it are deleted when it ends. A *held claim* is one that
/// this host has, from the transaction that created its key to the one that deletes it.
///
/// Invariants:
///
/// 1. The key of a claim is bound to the lease. The supervisor gets an earlier end, by `drift`, because the clock of etcd may run faster.
/// 2. A completion is recorded in a transaction that holds only if the key is still the one of this run.
/// 3. The agent deletes the key of a claim only after the supervisor has reported that the run has stopped, or when the lease would have ended.
/// 4. If a transaction may have created the key, although its answer was lost, the agent deletes the key when the claim has ended.
actor Agent {
  /// The loop as an executor.
  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A claim that this host has.
  struct HeldClaim {
    let keys: FleetKeys.OnceKeys
    let fence: Int
  }

  /// etcd's lease.
  struct Lease {
    let id: Int
    /// When it ends at the earliest, by the loop's clock.
    var end: Duration
  }

  let etcd: Etcd
  let keys: FleetKeys
  let host: String
  /// Differs from that of other agents, and of this one before its last start.
  let instance: String
  private let leaseSeconds: Int
  var service: CoordinatorService?
  var lease: Lease?
  /// Why there is no lease.
  private(set) var trouble = "etcd hasn't answered yet"
  var held: [Int: HeldClaim] = [:]
  /// The keys that are being deleted.
  var deletions: Set<String> = []
  private var cancelGrace = Duration.zero
  /// Whether no further claims are taken.
  private(set) var isEnding = false
  let changes: Changes

  init(loop: Loop, etcd: Etcd, keys: FleetKeys, host: String, leaseSeconds: Int) {
    (self.loop, self.etcd, self.keys, self.host, self.leaseSeconds) = (loop, etcd, keys, host, leaseSeconds)
    instance = String(UInt64.random(in: .min ... .max), radix: 16)
    changes = Changes(prefix: keys.once)
  }

  var timeToLive: Duration { .seconds(leaseSeconds) }
  /// How much earlier the lease ends for the supervisor than for etcd.
  private var drift: Duration { max(timeToLive / 20, .milliseconds(100)) }

  /// Coordinates until the task is cancelled.
  ///
  /// - Parameter within: how long to wait for the supervisor.
  func serve(socket: String, within: Duration?) async throws {
    let service = CoordinatorService(
      loop: loop, path: socket, program: ProgramShape(name: "initfleet agent", version: Release.version),
      handlers: CoordinatorService.Handlers(
        onReady: { offer in self.assumeIsolated { $0.becameReady(offer) } },
        onLost: { reason in self.assumeIsolated { $0.lostSupervisor(reason) } },
        claim: { try await self.decide($0) },
        complete: { try await self.record($0) },
        unclaim: { params in
          self.assumeIsolated { $0.release(params.run, after: params.stopped ? .zero : $0.timeToLive) }
        }))
    self.service = service
    let renewal = Task(executorPreference: loop) { await self.keepLease() }
    defer { renewal.cancel() }
    try await service.serve(within: within)
    // If a run may not have stopped, the lease must end by itself.
    if let lease, held.isEmpty { try? await etcd.revoke(lease: lease.id) }
  }

  /// Gives up all claims, and waits until their runs have stopped, at most as long as the supervisor takes to kill them.
  func giveUpClaims() async {
    isEnding = true
    for run in held.keys.sorted() { await service?.revoke(RevokeParams(run: run, message: "the agent ends")) }
    let end = loop.now + cancelGrace + .seconds(1)
    while !held.isEmpty || !deletions.isEmpty, loop.now < end { try? await Task.sleep(for: .milliseconds(20)) }
  }

  private func becameReady(_ offer: CoordinateResult) {
    cancelGrace = .seconds(offer.cancelGrace)
    let needed = cancelGrace + drift + .seconds(1)
    if timeToLive < needed {
      InitFleet.complain(
        "the lease of \(timeToLive.words) is too short for cancelGrace, \(cancelGrace.words): runs would be stopped; use --lease \(needed.words.filter { $0 != " " }) or longer"
      )
    }
  }

  private func lostSupervisor(_ reason: ClientError) {
    InitFleet.complain("\(reason); connecting again")
    // The runs are being stopped, but workers may continue if the supervisor was killed.
    for run in held.keys.sorted() { release(run, after: timeToLive) }
  }

  // MARK: The lease

  /// The pause between two renewals. The supervisor must get a new end of the lease before it stops a run.
  private var interval: Duration {
    max(min(timeToLive / 3, (timeToLive - drift - cancelGrace) / 2), .milliseconds(200))
  }

  /// The seconds for which the supervisor may rely on the lease.
  func safeLease(_ lease: Lease) -> Double { max(.zero, lease.end - loop.now - drift).inSeconds }

  private func keepLease() async {
    while !Task.isCancelled {
      if let lease { await renew(lease) } else { await obtain() }
    }
  }

  private func obtain() async {
    let sent = loop.now
    do throws(EtcdError) {
      let id = try await etcd.grantLease(seconds: leaseSeconds)
      lease = Lease(id: id, end: sent + timeToLive)
      changes.wakeAll()
    } catch {
      trouble = "\(error)"
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  /// Renews the lease once. Nil if it has ended.
  ///
  /// - Throws: `EtcdError` if etcd doesn't answer, and the lease may still last.
  private func renewed(_ lease: Lease) async throws(EtcdError) -> Lease? {
    let sent = loop.now
    var reason = "the lease of this host has ended"
    do throws(EtcdError) {
      let seconds = try await etcd.keepAlive(lease: lease.id)
      if seconds > 0, let current = self.lease, current.id == lease.id {
        let end = max(current.end, sent + .seconds(min(seconds, leaseSeconds)))
        self.lease = Lease(id: lease.id, end: end)
        return self.lease
      }
    } catch {
      trouble = "\(error)"
      if case .unreachable = error, loop.now < lease.end { throw error }
      reason = "\(error), and the lease of this host has ended"
    }
    if self.lease?.id == lease.id { loseLease(reason) }
    return nil
  }

  /// Renews the lease if it may be too short for the supervisor to start a run. False if it has ended.
  func prolong(_ lease: Lease) async -> Bool {
    while let current = self.lease, current.id == lease.id {
      // Renewed at most one interval ago: it can't become much longer.
      if timeToLive - (current.end - loop.now) < interval { return true }
      do throws(EtcdError) {
        return try await renewed(current) != nil
      } catch {
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    return false
  }

  private func renew(_ lease: Lease) async {
    try? await Task.sleep(for: interval)
    while !Task.isCancelled, let current = self.lease, current.id == lease.id {
      do throws(EtcdError) {
        guard let renewed = try await renewed(current) else { return }
        for run in held.keys.sorted() { await service?.renew(RenewParams(run: run, lease: safeLease(renewed))) }
        return
      } catch {
        try? await Task.sleep(for: .milliseconds(300))
      }
    }
  }

  /// The keys that are bound to the lease are deleted, or will be.
  private func loseLease(_ reason: String) {
    (lease, trouble) = (nil, reason)
    let service = service
    for run in held.keys.sorted() {
      Task(executorPreference: loop) { await service?.revoke(RevokeParams(run: run, message: reason)) }
    }
  }
}
