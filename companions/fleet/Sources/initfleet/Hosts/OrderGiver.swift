internal import ArgumentParser
internal import Etcd
internal import Fleet

/// Gives an order to all hosts, and waits for the outcomes.
///
/// Orders are bound to a lease of this process: an order that no agent has accepted is gone soon after this process.
@FleetActor final class OrderGiver {
  private let action: String
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
  /// The attempt to give orders again that were lost with a lease.
  private var givingAgain: Task<Void, Never>?

  /// Deletes orders, one after the other: a large fleet may carry them all out in the same moment.
  private let withdrawals = Outbox()

  private static let leaseSeconds = 15

  init(_ action: String, _ options: OrderOptions, _ fleet: FleetConnection) {
    self.action = action
    self.options = options
    self.fleet = fleet
    follower = FleetFollower(fleet)
  }

  /// Gives the order to the hosts that are in the fleet now, and waits until they have carried it out.
  func run() async throws {
    let hosts = try await follower.read().hosts
    guard !hosts.isEmpty else {
      Console.complain(
        "no agent of the fleet \(fleet.name) is running; start initfleet agent beside each supervisor")
      throw ExitCode.failure
    }
    earlier = hosts.compactMapValues { $0.order?.id }
    rollout = Rollout(to: Array(hosts.keys), width: options.rolling ?? hosts.count)
    lease = try await fleet.etcd.grantLease(seconds: Self.leaseSeconds)
    let renewal = Task { await self.renew() }
    defer { renewal.cancel() }
    do {
      let isOver = try await TimeLimit.race(options.timeout) { try await self.carryOut() }
      if isOver != nil { try? await fleet.etcd.revoke(lease: lease) }
      let status = conclude(isLate: isOver == nil)
      if status != .success { throw status }
    } catch let error as EtcdError {
      Console.complain("\(error); \(unfinished)")
      _ = conclude(isLate: false)
      throw ExitCode.failure
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

  /// Renews the lease until the task is cancelled.
  private func renew() async {
    while !Task.isCancelled {
      let (demands, demand) = AsyncStream<Void>.makeStream()
      let pacing = Task {
        while !Task.isCancelled {
          demand.yield()
          try? await Task.sleep(for: .seconds(Self.leaseSeconds) / 3)
        }
        demand.finish()
      }
      var hasEnded = false
      let renewed = lease
      do {
        try await withTaskCancellationHandler {
          try await fleet.etcd.keepAlive(lease: renewed, on: demands) { _, seconds in
            guard seconds == 0 else { return }
            hasEnded = true
            pacing.cancel()
          }
        } onCancel: {
          pacing.cancel()
        }
      } catch {
        if case .refused(_, .noLease)? = error as? EtcdError { hasEnded = true }
      }
      pacing.cancel()
      if hasEnded { await giveAgain(after: renewed) }
      try? await Task.sleep(for: .milliseconds(300))
    }
  }

  /// Gives the orders again that were lost with a lease, for example because this process was stopped.
  private func giveAgain(after ended: Int) async {
    guard lease == ended else { return }
    let task = givingAgain ?? Task { await self.giveOpenOrders() }
    givingAgain = task
    await task.value
    if givingAgain == task { givingAgain = nil }
  }

  /// Gives the orders that aren't carried out yet, with another lease.
  ///
  /// In the meantime, hosts may have carried out this order, or another one.
  private func giveOpenOrders() async {
    var new: Int?
    do {
      let view = try await follower.read()
      for host in rollout?.open.sorted() ?? [] { try handle(view.hosts[host], of: host) }
      let granted = try await fleet.etcd.grantLease(seconds: Self.leaseSeconds)
      new = granted
      for host in rollout?.open.sorted() ?? [] {
        let key = fleet.keys.order(host)
        _ = try await fleet.etcd.transaction(if: [.absent(key)], then: [.put(key, order, lease: granted)])
      }
      lease = granted
    } catch {
      // The next attempt finds no lease either, and gives all orders again.
      if let new { try? await fleet.etcd.revoke(lease: new) }
    }
  }

  /// Gives the order to the next hosts.
  private func giveToNext() async throws { try await give(to: rollout?.next() ?? []) }

  private var order: [UInt8] { OrderRecord(id: id, action: action).json() }

  /// Gives the order; a host that has it already ignores that.
  private func give(to hosts: [String]) async throws {
    var hosts = hosts
    var reported: EtcdError?
    while !hosts.isEmpty {
      let used = lease
      do throws(EtcdError) {
        // etcd accepts at most 128 operations in a transaction.
        for start in stride(from: 0, to: hosts.count, by: 100) {
          let part = hosts[start..<min(start + 100, hosts.count)]
          _ = try await fleet.etcd.transaction(
            if: [], then: part.map { .put(fleet.keys.order($0), order, lease: used) })
        }
        return
      } catch {
        if case .refused(_, .noLease) = error {
          await giveAgain(after: used)
          hosts = hosts.filter { rollout?.open.contains($0) == true }
          if lease == used { try await Task.sleep(for: .milliseconds(500)) }
          continue
        }
        if !error.mayPass { throw error }
        if error != reported {
          Console.complain("cannot ask \(hosts.joined(separator: ", ")): \(error.words); trying again")
        }
        reported = error
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  private func handle(_ record: HostRecord?, of host: String) throws {
    guard let record else { return fail(host, "it has left the fleet: \(FleetView.reasonOfLeaving)") }
    guard let outcome = record.order else { return }
    guard outcome.id == id else {
      if outcome.id != earlier[host] {
        fail(host, "another launch, activate or deactivate of the fleet has replaced this one")
      }
      return
    }
    switch outcome.state {
    case .complete:
      end(.complete, of: host)
      let cancelled = outcome.cancelled.map { ", cancelled \($0.joined(separator: ", "))" } ?? ""
      try Console.write(
        Console.visible("\(host) \(action == OrderRecord.launch ? "has" : "is") \(goal)\(cancelled)") + "\n")
    case .failed: fail(host, outcome.message ?? "it has failed")
    case .running: break
    }
  }

  /// The state of each host that has carried out the order.
  private var goal: String {
    switch action {
    case OrderRecord.launch: "launched"
    case OrderRecord.activate: "active"
    default: "inactive"
    }
  }

  /// The hosts that haven't carried out the order yet, as a sentence.
  private var unfinished: String {
    let hosts = rollout?.open.sorted() ?? []
    let verbs = action == OrderRecord.launch ? ("hasn't", "haven't") : ("isn't", "aren't")
    return "\(hosts.joined(separator: ", ")) \(hosts.count == 1 ? verbs.0 : verbs.1) \(goal) yet"
  }

  private func fail(_ host: String, _ reason: String) {
    end(.failed(reason), of: host)
    Console.complain("\(host): \(reason)")
  }

  /// Records the end of a host's order, and withdraws the order: an agent that starts again later would carry it out again.
  private func end(_ end: Rollout.End, of host: String) {
    _ = rollout?.record(end, of: host)
    let key = fleet.keys.order(host)
    withdrawals.send { [etcd = fleet.etcd, lease] in
      // Another command's order stays. If etcd doesn't answer, the order ends with the lease.
      _ = try? await etcd.transaction(if: [.bound(key, lease: lease)], then: [.delete(key)])
    }
  }

  /// Prints the orders that weren't carried out.
  ///
  /// Returns the exit status.
  private func conclude(isLate: Bool) -> ExitCode {
    guard let rollout else { return .failure }
    if isLate {
      Console.complain(
        "timed out after \((options.timeout ?? .zero).words): \(unfinished)")
    }
    if !rollout.waiting.isEmpty { Console.complain("not asked: \(rollout.waiting.joined(separator: ", "))") }
    return isLate ? .timedOut : rollout.hasFailed ? .failure : .success
  }
}
