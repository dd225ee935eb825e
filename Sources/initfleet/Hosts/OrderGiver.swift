internal import CommandLineOptions
internal import Etcd
internal import EventLoop
internal import Fleet
internal import InitJSON
internal import InitText
internal import InitWire

/// Gives an order to all hosts, and waits for the outcomes.
///
/// Orders are bound to a lease of this process: one that no agent has taken is gone soon after this process.
@ProgramLoop final class OrderGiver {
  private let action: OrderRecord.Action
  private let options: OrderOptions
  private let fleet: FleetConnection
  private let follower: FleetFollower
  /// The id of all orders of this process.
  private let id = String(UInt64.random(in: .min ... .max), radix: 16)
  private var rollout: Rollout?
  /// The last order of each host before.
  private var earlier: [String: String] = [:]
  /// The lease that the orders are bound to.
  private var lease = 0

  private static let leaseSeconds = 15

  init(_ action: OrderRecord.Action, _ options: OrderOptions, _ fleet: FleetConnection) {
    self.action = action
    self.options = options
    self.fleet = fleet
    follower = FleetFollower(fleet)
  }

  /// The hosts that are there now get the order.
  func run() async throws -> ProgramStatus {
    let hosts = try await follower.read().hosts
    guard !hosts.isEmpty else {
      FleetConsole.complain(
        "no agent of the fleet \(fleet.name) is running; start initfleet agent beside each supervisor")
      return .failure
    }
    earlier = hosts.compactMapValues { $0.order?.id }
    rollout = Rollout(to: Array(hosts.keys), width: options.rolling ?? hosts.count)
    lease = try await fleet.etcd.grantLease(seconds: Self.leaseSeconds)
    let renewal = Task(executorPreference: fleet.loop) {
      while !Task.isCancelled {
        try await Task.sleep(for: .seconds(Self.leaseSeconds) / 3)
        if let seconds = try? await self.fleet.etcd.keepAlive(lease: await self.lease), seconds == 0 {
          await self.giveAgain()
        }
      }
    }
    defer { renewal.cancel() }
    do {
      let isOver = try await TimeLimit.race(options.timeout, on: fleet.loop) { try await self.carryOut() }
      if isOver != nil { try? await fleet.etcd.revoke(lease: lease) }
      return conclude(isLate: isOver == nil)
    } catch let error as EtcdError {
      FleetConsole.complain("\(error); not \(done) yet: \(rollout?.open.sorted().joined(separator: ", ") ?? "")")
      _ = conclude(isLate: false)
      return .failure
    }
  }

  private func carryOut() async throws -> Bool {
    try await giveToNext()
    return try await follower.follow { view, _ in
      for host in self.rollout?.open.sorted() ?? [] { try self.handle(view.hosts[host], of: host) }
      try await self.giveToNext()
      return self.rollout?.isOver == true ? true : nil
    }
  }

  /// The lease has ended, for example because this process was stopped, and with it the orders that weren't taken.
  private func giveAgain() async {
    guard let new = try? await fleet.etcd.grantLease(seconds: Self.leaseSeconds) else { return }
    lease = new
    try? await give(to: rollout?.open.sorted() ?? [])
  }

  /// Gives the order to the next hosts.
  private func giveToNext() async throws { try await give(to: rollout?.next() ?? []) }

  /// Gives the order; a host that has it already ignores that.
  private func give(to hosts: [String]) async throws {
    let value = try OrderRecord(id: id, action: action).json()
    guard !hosts.isEmpty else { return }
    while true {
      do throws(EtcdError) {
        // etcd accepts at most 128 operations in a transaction.
        for start in stride(from: 0, to: hosts.count, by: 100) {
          let part = hosts[start..<min(start + 100, hosts.count)]
          _ = try await fleet.etcd.transaction(
            if: [], then: part.map { .put(fleet.keys.order($0), value, lease: lease) })
        }
        return
      } catch {
        if case .refused = error { throw error }
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  private func handle(_ record: HostRecord?, of host: String) throws {
    guard let record else { return fail(host, "its agent has ended, or its lease") }
    guard let outcome = record.order else { return }
    guard outcome.id == id else {
      if outcome.id != earlier[host] { fail(host, "another activate or deactivate of the fleet has replaced this one") }
      return
    }
    switch outcome.state.known {
    case .complete:
      _ = rollout?.record(.complete, of: host)
      let cancelled = outcome.cancelled.map { ", cancelled \($0.joined(separator: ", "))" } ?? ""
      try FleetConsole.write(TerminalText.escape("\(host) is \(done)\(cancelled)") + "\n")
    case .failed: fail(host, outcome.message ?? "it has failed")
    case .running, nil: break
    }
  }

  private var done: String { action == .activate ? "active" : "inactive" }

  private func fail(_ host: String, _ reason: String) {
    _ = rollout?.record(.failed(reason), of: host)
    FleetConsole.complain("\(host): \(reason)")
  }

  /// Prints the orders that weren't carried out.
  ///
  /// Returns the exit status.
  private func conclude(isLate: Bool) -> ProgramStatus {
    guard let rollout else { return .failure }
    if isLate {
      FleetConsole.complain(
        "timed out after \((options.timeout ?? .zero).words): \(rollout.open.sorted().joined(separator: ", ")) not \(done) yet"
      )
    }
    if !rollout.waiting.isEmpty { FleetConsole.complain("not asked: \(rollout.waiting.joined(separator: ", "))") }
    return isLate ? .timedOut : rollout.hasFailed ? .failure : .success
  }
}
