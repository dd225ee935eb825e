internal import CommandLineOptions
internal import Etcd
internal import EventLoop
internal import Fleet
internal import InitClient
internal import InitJSON
internal import InitText
internal import InitWire
internal import InitWords

/// A candidate for a leadership: while it leads, the app of its host is active.
///
/// The candidates' keys are those of etcd's own elections: each is bound to its candidate's lease, and the one that was created first leads.
///
/// Invariants:
///
/// 1. The app is active for this candidate only by a hold with a lease, which ends before etcd's does. The supervisor keeps it, even if this
///    process is stopped.
/// 2. The candidate deletes its key only if the supervisor has said that everything has stopped, or before it has asked for an activation.
actor Candidate {
  /// The loop as an executor.
  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Why it doesn't lead any more.
  private enum Loss: Sendable {
    case resigned
    case lease(String)
    case supervisor(String)
    case activation(String)
    /// The supervisor has refused the activation.
    case refused(String)
    case deactivated
    /// The supervisor has ended, and with it everything that it ran.
    case shutdown
    /// The supervisor doesn't accept this lease.
    case unusable(String)
  }

  private let etcd: Etcd
  private let keys: FleetKeys
  private let leadership: String
  private let host: String
  private let keeper: LeaseKeeper
  private let changes: KeyChanges
  /// The connection that has the hold.
  private var holder: Client?
  /// Told of the end of the leadership.
  private var losses: AsyncStream<Loss>.Continuation?
  private var isEnding = false
  /// Why this host can never lead with these options.
  private var misfit: String?
  /// Whether it was reported that there is no supervisor.
  private var hasToldSupervisor = false
  private var hasEnded = false

  init(etcd: Etcd, keys: FleetKeys, leadership: String, host: String, leaseSeconds: Int) {
    loop = etcd.loop
    self.etcd = etcd
    self.keys = keys
    self.leadership = leadership
    self.host = host
    keeper = LeaseKeeper(etcd, seconds: leaseSeconds)
    changes = KeyChanges(etcd, under: keys.candidates(leadership))
  }

  /// Campaigns and leads until it has resigned, or the task is cancelled.
  ///
  /// `within` says how long to wait for the supervisor. Throws `ClientError` if the first connection to the supervisor fails.
  func serve(socket: String, within: Duration?) async throws {
    defer { hasEnded = true }
    let program = ProgramShape(name: "initfleet lead", version: Release.version)
    var client = try await Client.connect(loop: loop, path: socket, program: program, within: within)
    _ = try await client.ping()
    let handlers = LeaseKeeper.Handlers(
      onObtained: { _ in },
      onRenewed: { lease in self.assumeIsolated { $0.renewHold(lease) } },
      onLost: { reason in self.assumeIsolated { _ = $0.losses?.yield(.lease(reason)) } },
      onTrouble: { [changes] in Task { await changes.doubt() } })
    let keeping = Task(executorPreference: loop) { await self.keeper.keep(handlers) }
    defer { keeping.cancel() }
    var pause = Duration.seconds(1)
    while !isEnding, !Task.isCancelled, misfit == nil {
      if await !client.isOpen {
        guard let new = await connect(socket, program) else {
          try? await Task.sleep(for: .seconds(1))
          continue
        }
        client = new
      }
      guard let elected = await campaign() else { break }
      guard await client.isOpen else {
        await resign(from: elected, .seconds(1))
        continue
      }
      if await lead(elected, client) {
        pause = .seconds(1)
      } else if !isEnding {
        // Another host is to have its turn.
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(30))
      }
    }
    await client.close()
    await keeper.giveUp()
    if let misfit {
      throw UsageError("this host can't lead: \(misfit); use a longer --lease", of: "initfleet lead")
    }
  }

  /// Ends the leadership and the candidacy, and waits until the app is inactive.
  func resign() async {
    isEnding = true
    losses?.yield(.resigned)
    await changes.doubt()
    let end = loop.now + keeper.timeToLive
    while !hasEnded, loop.now < end { try? await Task.sleep(for: .milliseconds(20)) }
  }

  // MARK: The campaign

  /// A won election.
  private struct Election {
    let key: String
    let lease: Int
    /// The revision at which the key was created.
    let revision: Int
  }

  /// Waits until this candidate is elected.
  ///
  /// Nil if it ends before.
  private func campaign() async -> Election? {
    var hasTold = false
    while !isEnding, !Task.isCancelled {
      guard let lease = await keeper.lease else {
        try? await Task.sleep(for: .milliseconds(100))
        continue
      }
      let key = keys.candidate(leadership, lease: lease.id)
      do {
        let value = try CandidateRecord(host: host).json()
        _ = try await etcd.transaction(if: [.absent(key)], then: [.put(key, value, lease: lease.id)])
        let (entries, revision) = try await etcd.list(EtcdRange(prefix: keys.candidates(leadership)))
        guard let own = entries.first(where: { $0.key == key }) else { continue }
        let before = entries.filter { $0.created < own.created }.max { $0.created < $1.created }
        guard let before else { return Election(key: key, lease: lease.id, revision: own.created) }
        if !hasTold { say("waits to lead \(leadership)") }
        hasTold = true
        _ = await changes.change(after: revision) { $0.key == before.key || $0.key == key }
      } catch {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 300...700)))
      }
    }
    return nil
  }

  // MARK: The leadership

  /// Leads until the leadership is lost.
  ///
  /// False if this host should let others try.
  private func lead(_ election: Election, _ client: Client) async -> Bool {
    let (stream, continuation) = AsyncStream<Loss>.makeStream()
    losses = continuation
    defer { losses = nil }
    guard let lease = await keeper.prolonged(election.lease) else { return true }
    guard !isEnding else {
      await resign(from: election, .seconds(1))
      return true
    }
    holder = client
    let watching = Task(executorPreference: loop) { await self.activate(client, lease, continuation) }
    defer { watching.cancel() }
    let loss = await stream.first { _ in true } ?? .resigned
    holder = nil
    watching.cancel()
    return await stepDown(election, client, loss)
  }

  private func renewHold(_ lease: LeaseKeeper.Lease) {
    guard let holder else { return }
    let params = RenewParams(lease: secondsLeft(of: lease), at: loop.now.inSeconds)
    Task(executorPreference: loop) { await holder.notify(.renew(params)) }
  }

  private func secondsLeft(of lease: LeaseKeeper.Lease) -> Double { max(.zero, lease.safeEnd - loop.now).inSeconds }

  /// Activates the app, and reports why it doesn't stay active.
  private func activate(
    _ client: Client, _ lease: LeaseKeeper.Lease, _ losses: AsyncStream<Loss>.Continuation
  ) async {
    do throws(ClientError) {
      let activation = try await client.activate(hold: true, lease: secondsLeft(of: lease))
      let pass = activation.pass
      say("leads \(leadership)")
      await allow(cancelGrace: .seconds(activation.cancelGrace ?? 0))
      let events = try await client.subscribe(to: [.lifecycle])
      let ending = Task(executorPreference: loop) {
        guard let state = try? await client.wait(WaitParams(for: .pass(pass), timeout: nil)) else { return }
        if state.state == .failed { losses.yield(.activation(state.error?.message ?? "the activation failed")) }
      }
      defer { ending.cancel() }
      guard events.status.lifecycle == .active else {
        losses.yield(.deactivated)
        return
      }
      for try await event in events {
        switch event.params.body {
        case .state(let state) where state.lifecycle == .inactive: losses.yield(.deactivated)
        case .snapshot(let status) where status.lifecycle == .inactive: losses.yield(.deactivated)
        default: continue
        }
      }
      losses.yield(.shutdown)
    } catch {
      if case .refused(let refusal) = error, refusal.knownCode == .invalidParams {
        losses.yield(.unusable(refusal.message))
      } else if case .refused(let refusal) = error {
        losses.yield(.refused(refusal.message))
      } else {
        losses.yield(.supervisor("\(error)"))
      }
    }
  }

  /// The leadership is lost.
  ///
  /// False if this host should let others try.
  private func stepDown(_ election: Election, _ client: Client, _ loss: Loss) async -> Bool {
    let (reason, isFine): (String, Bool) =
      switch loss {
      case .resigned: ("this host resigns", true)
      case .lease(let reason): (reason, true)
      case .supervisor(let reason): (reason, true)
      case .activation(let reason), .refused(let reason): (reason, false)
      case .deactivated: ("the app was deactivated, by somebody or because its lease wasn't renewed in time", false)
      case .shutdown: ("the supervisor has ended", true)
      case .unusable(let reason): (reason, false)
      }
    if case .unusable = loss { misfit = reason }
    say("doesn't lead \(leadership) any more: \(reason)")
    switch loss {
    case .shutdown, .refused, .unusable:
      // Nothing runs here for this leadership.
      await resign(from: election, keeper.timeToLive)
      return isFine
    case .resigned, .lease, .supervisor, .activation, .deactivated: break
    }
    do throws(ClientError) {
      _ = try await client.deactivate(wait: true, within: keeper.timeToLive)
      if case .lease = loss { return true }
      await resign(from: election, keeper.timeToLive)
    } catch {
      // Whether everything has stopped is unknown: the lease runs out.
      await keeper.abandon()
    }
    return isFine
  }

  /// Lets the next candidate lead: everything has stopped here.
  private func resign(from election: Election, _ limit: Duration) async {
    let end = loop.now + limit
    while loop.now < end {
      do throws(EtcdError) {
        _ = try await etcd.transaction(
          if: [.created(election.key, at: election.revision)], then: [.delete(election.key)])
        return
      } catch {
        try? await Task.sleep(for: .milliseconds(300))
      }
    }
  }

  // MARK: The supervisor

  /// Waits for a supervisor.
  ///
  /// Nil if it takes long.
  private func connect(_ path: String, _ program: ProgramShape) async -> Client? {
    do throws(ClientError) {
      let client = try await Client.connect(loop: loop, path: path, program: program, within: .seconds(1))
      hasToldSupervisor = false
      return client
    } catch {
      if !hasToldSupervisor { FleetConsole.complain("\(error); trying again") }
      hasToldSupervisor = true
      return nil
    }
  }

  private func allow(cancelGrace: Duration) async {
    guard let needed = await keeper.allow(cancelGrace: cancelGrace) else { return }
    FleetConsole.complain(LeaseKeeper.isTooShort(keeper.timeToLive, for: cancelGrace, needed))
  }

  private func say(_ what: String) { FleetConsole.explain("\(host) \(what)") }
}
